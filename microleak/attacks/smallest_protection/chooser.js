// Choose the level of each fact, see the risk: every number is written in the page.
(() => {
  "use strict";

  // Which of the texts of a column each node has, in one byte or two, in base64.
  function toldBy(texts, places) {
    const bytes = Uint8Array.from(atob(places), (sign) => sign.charCodeAt(0));
    if (texts.length <= 256) {
      return (node) => texts[bytes[node]];
    }
    return (node) => texts[bytes[2 * node] + 256 * bytes[2 * node + 1]];
  }

  function read(element) {
    return JSON.parse(element.textContent);
  }

  function choose(section) {
    const places = read(document.getElementById(section.dataset.nodes));
    const told = read(section.querySelector("script")).map((texts, column) =>
      toldBy(texts.split("|"), places[column]),
    );
    const lists = [...section.querySelectorAll("select")];
    const cells = [...section.querySelectorAll("dd")];
    const answer = lists.map((list) => list.value);

    function show() {
      const node = lists.reduce(
        (place, list) => place * list.options.length + Number(list.value),
        0,
      );
      cells.forEach((cell, index) => {
        cell.textContent = told[index](node);
      });
    }

    for (const button of section.querySelectorAll("[data-levels]")) {
      const isAnswer = button.dataset.levels === "answer";
      button.addEventListener("click", () => {
        lists.forEach((list, index) => {
          list.value = isAnswer ? answer[index] : "0";
        });
        show();
      });
    }
    section.addEventListener("change", show);
    show();
    section.hidden = false;
  }

  document.querySelectorAll(".chooser").forEach(choose);
})();
