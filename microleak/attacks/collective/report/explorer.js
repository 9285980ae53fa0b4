// Tick what is known, see the risk: every number is written in the page.
(() => {
  "use strict";

  const COLUMNS = ["records", "certain", "guess", "leakage"];

  function fill(sentence, values) {
    return sentence.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  }

  /* Names of what is ticked; several attributes may have one name together. */
  function named(boxes, together) {
    const names = new Map(boxes.map((box) => [box.dataset.attribute, box.dataset.name]));
    for (const [joined, name] of Object.entries(together)) {
      const [first, ...others] = joined.split("|");
      if (![first, ...others].every((attribute) => names.has(attribute))) continue;
      names.set(first, name);
      others.forEach((attribute) => names.delete(attribute));
    }
    return [...names.values()];
  }

  function listing(names, and, phrases) {
    const [last, ...first] = [...names].reverse();
    if (!first.length) return last;
    const words = phrases.slice(0, first.length === 1 ? 1 : undefined);
    const comma = names.some((name) => words.some((word) => name.includes(word)));
    return `${first.reverse().join(", ")}${comma ? "," : ""} ${and} ${last}`;
  }

  function explore(section) {
    const { analysis, nothing, known, and } = section.dataset;
    const together = JSON.parse(section.dataset.together);
    const phrases = JSON.parse(section.dataset.phrases);
    const panels = JSON.parse(section.querySelector("script").textContent);
    const boxes = [...section.querySelectorAll("input[type=checkbox]")];
    const panel = section.querySelector("select");
    const link = section.querySelector(".link a");
    const sentences = [...section.querySelectorAll("[data-sentence]")];
    const rows = [...section.querySelectorAll("tbody tr")];

    function chosen() {
      const names = boxes.filter((b) => b.checked).map((b) => b.dataset.attribute);
      return { names, panel: panel ? Number(panel.value) : 0 };
    }

    function choose({ names, panel: number }) {
      for (const box of boxes) box.checked = names.includes(box.dataset.attribute);
      if (panel && number < panel.options.length) panel.value = String(number);
      show();
    }

    /* What is ticked is the same in every language, and stands in the address. */
    function tell() {
      const now = chosen();
      for (const other of explorers.get(analysis)) if (other !== choose) other(now);
      link.href = `#${hashOf(analysis, now)}`;
      history.replaceState(null, "", link.href);
    }

    function show() {
      const ticked = boxes.filter((box) => box.checked);
      const subset = ticked.reduce((bits, box) => bits | Number(box.value), 0);
      const names = named(ticked, together);
      link.href = `#${hashOf(analysis, chosen())}`;
      section.querySelector(".known").textContent = names.length
        ? fill(known, { names: listing(names, and, phrases) })
        : nothing;
      panels[panel ? Number(panel.value) : 0].forEach((attack, index) => {
        const pairs = COLUMNS.map((name, i) => [name, attack[subset][i]]);
        const values = Object.fromEntries(pairs);
        const sentence = sentences[index];
        sentence.textContent = fill(sentence.dataset.sentence, values);
        for (const cell of rows[index].querySelectorAll("[data-number]")) {
          cell.textContent = values[cell.dataset.number];
        }
      });
    }

    for (const button of section.querySelectorAll("[data-tick]")) {
      button.addEventListener("click", () => {
        for (const box of boxes) box.checked = button.dataset.tick === "all";
        show();
        tell();
      });
    }
    section.addEventListener("change", () => {
      show();
      tell();
    });
    explorers.set(analysis, [...(explorers.get(analysis) ?? []), choose]);
    show();
    section.hidden = false;
  }

  // What is ticked, by analysis: of each the functions that tick it in a language.

  const explorers = new Map();

  function hashOf(analysis, { names, panel }) {
    const values = { known: analysis, panel, attribute: names };
    const pairs = Object.entries(values).flatMap(([key, value]) =>
      [value].flat().map((each) => [key, each]),
    );
    return new URLSearchParams(pairs).toString();
  }

  /* Tick what the address says, and go there. */
  function followHash() {
    const told = new URLSearchParams(location.hash.slice(1));
    const analysis = told.get("known");
    if (!explorers.has(analysis)) return;
    const names = told.getAll("attribute");
    const panel = Number(told.get("panel") ?? 0);
    for (const choose of explorers.get(analysis)) choose({ names, panel });
    for (const section of document.querySelectorAll(".explorer")) {
      const isShown = section.closest("main").offsetParent !== null;
      if (section.dataset.analysis !== analysis || !isShown) continue;
      section.querySelector("details").open = true;
      section.scrollIntoView();
    }
  }

  document.querySelectorAll(".explorer").forEach(explore);
  followHash();
  window.addEventListener("hashchange", followHash);
})();
