(() => {
  "use strict";

  // Contents stand beside the page where there is room, and else close when used.

  const narrow = matchMedia("(max-width: 67.99rem)");
  for (const details of document.querySelectorAll(".contents details")) {
    const fit = () => (details.open = !narrow.matches);
    narrow.addEventListener("change", fit);
    fit();
    details.addEventListener("click", (event) => {
      if (narrow.matches && event.target.closest("a")) details.open = false;
    });
  }

  // What a link leads to is opened, with all that it is in.

  function reveal() {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!place) return;
    for (let fold = place; fold; fold = fold.parentElement) {
      if (fold.matches("details")) fold.open = true;
    }
    place.scrollIntoView();
  }

  addEventListener("hashchange", reveal);

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
      output.textContent = filter.dataset.rows
        .replace("{shown}", shown)
        .replace("{all}", told.length);
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

  /* Keep the reader's choice in the address, for a reload or a bookmark. */
  function choose(language) {
    const address = new URL(location);
    address.searchParams.set("lang", language);
    speak(language);
    history.replaceState(null, "", address);
  }

  /* What the address asks for, or else the browser, or else what comes first. */
  function makeLanguages(radios) {
    const asked = new URLSearchParams(location.search).get("lang");
    const wanted = navigator.languages.map((name) => name.split("-")[0]);
    const shown = [asked, ...wanted]
      .map((language) => radios.find((radio) => radio.value === language))
      .concat(radios)
      .find(Boolean);
    if (!shown) return;
    shown.checked = true;
    speak(shown.value);
    for (const radio of radios) {
      radio.addEventListener("change", () => choose(radio.value));
    }
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

  for (const table of document.querySelectorAll("section:not(.explorer) table")) {
    makeSortable(table);
  }
  for (const filter of document.querySelectorAll(".filter")) makeFilter(filter);
  for (const box of document.querySelectorAll("div.scroll")) makeScrolled(box);
  makeLanguages([...document.querySelectorAll("input[name=language]")]);
  reveal();
})();
