(() => {
  "use strict";

  // Numbers are written as microleak/figures/numbers.py does.

  function percent(value, places, locale) {
    return new Intl.NumberFormat(locale, {
      style: "percent",
      minimumFractionDigits: places,
      maximumFractionDigits: places,
      useGrouping: false,
      roundingMode: "halfEven",
    }).format(value);
  }

  /* Decimals of a percentage that rounding may not make 0 or 100. */
  function decimals(share) {
    const room = 100 * Math.min(share, 1 - share);
    return 2 * room > 0.01 ? 2 : -Math.floor(Math.log10(room) + 1e-9);
  }

  function share(value, style) {
    const places = value === 0 || value === 1 ? 0 : decimals(value);
    return percent(value, places, style.locale);
  }

  /* A difference with its unit, in the number that the language gives it. */
  function points(written, value, style) {
    const rules = new Intl.PluralRules(style.locale, { minimumFractionDigits: 2 });
    const form = rules.select(Number((100 * value).toFixed(2)));
    return fill(form === "one" ? style.pointOne : style.pointMany, { number: written });
  }

  function count(value, style) {
    return new Intl.NumberFormat(style.locale).format(value);
  }

  function fill(sentence, values) {
    return sentence.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  }

  // Every subset of what is known.

  /* The numbers of all subsets by their bits, from the differences between them. */
  function unpack([first, ...steps]) {
    const numbers = [first];
    steps.forEach((step, index) => {
      const subset = index + 1;
      let largest = -Infinity;
      for (let rest = subset; rest; rest &= rest - 1) {
        largest = Math.max(largest, numbers[subset ^ (rest & -rest)]);
      }
      numbers.push(largest + step);
    });
    return numbers;
  }

  function unpacked(attack) {
    const { records, certain, guess } = attack;
    return { records, certain: unpack(certain), guess: unpack(guess) };
  }

  /* The numbers of one subset as they are written. */
  function written(attack, subset, style) {
    const { records, certain, guess } = attack;
    const leakage = (guess[subset] - guess[0]) / records;
    const plain = share(leakage, style).replace("%", "");
    return {
      n_records: count(records, style),
      records: count(certain[subset], style),
      certain: share(certain[subset] / records, style),
      guess: share(guess[subset] / records, style),
      prior: share(guess[0] / records, style),
      leakage: plain,
      points: points(plain, leakage, style),
    };
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

  function listing(names, and) {
    const [last, ...first] = [...names].reverse();
    return first.length ? `${first.reverse().join(", ")} ${and} ${last}` : last;
  }

  function explore(section, numbers) {
    const { analysis, nothing, known, and } = section.dataset;
    const { pointOne, pointMany } = section.dataset;
    const together = JSON.parse(section.dataset.together);
    const { panels } = numbers[analysis];
    const locale = section.closest("main").lang;
    const style = { locale, pointOne, pointMany };
    const attacks = panels.map((panel) => panel.map(unpacked));
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
        ? fill(known, { names: listing(names, and) })
        : nothing;
      attacks[panel ? Number(panel.value) : 0].forEach((attack, index) => {
        const values = written(attack, subset, style);
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
      if (section.dataset.analysis === analysis && isShown) section.scrollIntoView();
    }
  }

  // Tables, by the values of a column.

  /* The header cell of each column, where it heads this column alone. */
  function headings(table) {
    const taken = [];
    const found = [];
    [...table.tHead.rows].forEach((row, y) => {
      let x = 0;
      for (const cell of row.cells) {
        while (taken[y]?.[x]) x += 1;
        for (let below = y; below < y + cell.rowSpan; below += 1) {
          taken[below] ??= [];
          for (let i = x; i < x + cell.colSpan; i += 1) taken[below][i] = true;
        }
        if (cell.scope === "col") found[x] = cell;
        x += cell.colSpan;
      }
    });
    return found;
  }

  /* The number that a cell begins with; of one without, missing. */
  function numberIn(text, locale) {
    const [group, point] = locale === "en" ? [",", "."] : [".", ","];
    const plain = text.replaceAll(group, "").replace(point, ".").replace("−", "-");
    return parseFloat(plain.replace(/^[^\d-]+/, ""));
  }

  function order(column, isNumber, locale) {
    const collator = new Intl.Collator(locale, { numeric: true });
    const text = (row) => row.cells[column].textContent.trim();
    if (!isNumber) return (a, b) => collator.compare(text(a), text(b));
    const value = (row) => numberIn(text(row), locale);
    return (a, b) => value(a) - value(b);
  }

  function sorted(rows, column, direction, locale) {
    const isNumber = rows.every((row) => row.cells[column].matches(".number"));
    const isMissing = (row) =>
      isNumber && Number.isNaN(numberIn(row.cells[column].textContent.trim(), locale));
    const compare = order(column, isNumber, locale);
    const sign = direction === "ascending" ? 1 : -1;
    const there = rows.filter((row) => !isMissing(row));
    there.sort((a, b) => sign * compare(a, b));
    return [...there, ...rows.filter(isMissing)];
  }

  function makeSortable(table) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const cells = headings(table);
    if (rows.length < 3 || rows.some((row) => row.cells.length !== cells.length)) return;
    const locale = table.closest("main").lang;
    cells.forEach((cell, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...cell.childNodes);
      cell.append(button);
      button.addEventListener("click", () => {
        const direction = next(cell, rows, column);
        for (const other of cells) other.removeAttribute("aria-sort");
        if (direction) cell.setAttribute("aria-sort", direction);
        body.append(...(direction ? sorted(rows, column, direction, locale) : rows));
      });
    });
  }

  /* Numbers from the largest, words from the first; then the other way; then none. */
  function next(cell, rows, column) {
    const isNumber = rows[0].cells[column].matches(".number");
    const ways = isNumber ? ["descending", "ascending"] : ["ascending", "descending"];
    return ways[ways.indexOf(cell.getAttribute("aria-sort")) + 1];
  }

  // Rows, by the attributes that are known.

  function folded(text) {
    return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  }

  function makeFilter(filter) {
    const cells = [...filter.closest("section").querySelectorAll("td.qids")];
    const rows = cells.map((cell) => [cell.parentNode, folded(cell.dataset.names)]);
    // The numbers behind the figure are of the same combinations once more.
    const told = rows.filter(([row]) => row.closest(".worst"));
    const input = filter.querySelector("input");
    const output = filter.querySelector("output");
    input.addEventListener("input", () => {
      const parts = folded(input.value).split(",").map((part) => part.trim());
      for (const [row, names] of rows) {
        row.hidden = !parts.every((part) => names.includes(part));
      }
      const shown = told.filter(([row]) => !row.hidden).length;
      output.textContent = fill(filter.dataset.rows, { shown, all: told.length });
    });
    filter.hidden = told.length < 2;
  }

  // One language of several, also for the other pages of the report.

  function speak(language) {
    const main = document.querySelector(`.edition-${language}`);
    document.documentElement.lang = main.lang;
    document.title = main.dataset.title;
    for (const link of document.querySelectorAll('a[href*=".html"]')) {
      link.search = `?lang=${language}`;
    }
  }

  function makeLanguages(radios) {
    const asked = new URLSearchParams(location.search).get("lang");
    for (const radio of radios) {
      if (radio.value === asked) radio.checked = true;
      radio.addEventListener("change", () => speak(radio.value));
    }
    const chosen = radios.find((radio) => radio.checked);
    if (chosen) speak(chosen.value);
  }

  // Boxes of what may be wider than the page: those that are say so, and where.

  function makeScrolled(box) {
    const told = ["role", "tabindex", "aria-label"].map((name) => [
      name,
      box.getAttribute(name),
    ]);

    function show() {
      const left = box.scrollLeft;
      const right = box.scrollWidth - box.clientWidth - left;
      const more = [left > 1 && "left", right > 1 && "right"].filter(Boolean);
      if (more.length) box.dataset.more = more.join(" ");
      else delete box.dataset.more;
      for (const [name, value] of told) {
        if (more.length) box.setAttribute(name, value);
        else box.removeAttribute(name);
      }
    }

    box.addEventListener("scroll", show, { passive: true });
    new ResizeObserver(show).observe(box);
  }

  const numbers = document.getElementById("numbers");
  if (numbers) {
    const read = JSON.parse(numbers.textContent);
    for (const section of document.querySelectorAll(".explorer")) explore(section, read);
  }
  for (const table of document.querySelectorAll("section:not(.explorer) table")) {
    makeSortable(table);
  }
  for (const filter of document.querySelectorAll(".filter")) makeFilter(filter);
  for (const box of document.querySelectorAll("div.scroll")) makeScrolled(box);
  makeLanguages([...document.querySelectorAll("input[name=language]")]);
  followHash();
  window.addEventListener("hashchange", followHash);
})();
