// Choose the level of each fact, see the risk: every number is written in the page.
(() => {
  "use strict";

  function choose(section) {
    const told = JSON.parse(section.querySelector("script").textContent);
    const lists = [...section.querySelectorAll("select")];
    const cells = [...section.querySelectorAll("dd")];
    const answer = lists.map((list) => list.value);

    function show() {
      const node = lists.reduce(
        (place, list) => place * list.options.length + Number(list.value),
        0,
      );
      told[node].forEach((text, index) => {
        cells[index].textContent = text;
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
