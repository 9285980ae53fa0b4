// Choose the level of each fact, see the risk: every number is written in the page.
(() => {
  "use strict";

  // Of each node the place of its text among those of a column, in one byte or two.
  function placesOf(column) {
    const bytes = Uint8Array.from(atob(column.places), (sign) =>
      sign.charCodeAt(0),
    );
    if (column.texts.length <= 256) {
      return (node) => bytes[node];
    }
    return (node) => bytes[2 * node] + 256 * bytes[2 * node + 1];
  }

  function choose(section) {
    const columns = JSON.parse(section.querySelector("script").textContent);
    const places = columns.map(placesOf);
    const lists = [...section.querySelectorAll("select")];
    const cells = [...section.querySelectorAll("dd")];
    const answer = lists.map((list) => list.value);

    function show() {
      const node = lists.reduce(
        (place, list) => place * list.options.length + Number(list.value),
        0,
      );
      cells.forEach((cell, index) => {
        cell.textContent = columns[index].texts[places[index](node)];
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
