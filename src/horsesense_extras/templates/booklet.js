"use strict";
(() => {
  const code = document.body.dataset.code;
  const questions = [...document.querySelectorAll("fieldset")];
  const person = document.getElementById("person");
  const chosen = (q) => q.querySelector("input[type=radio]:checked");
  const words = (q) => q.querySelector(".own");
  const answer = (q) => words(q).value.trim() || (chosen(q) ? chosen(q).value : "");

  // A cell that does not begin with a letter or a digit could be taken for a formula.
  const cell = (text) => {
    const inert = /^[\p{L}\p{N}]/u.test(text) || !text ? text : "'" + text;
    return '"' + inert.replaceAll('"', '""') + '"';
  };
  const table = () => {
    const rows = questions.map((q) => [code, person.value.trim(), q.dataset.number, answer(q)]);
    return [["booklet", "person", "number", "answer"], ...rows]
      .map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
  };

  // Some browsers keep nothing for a page that is a file: then only the open page holds answers.
  const keep = () => {
    const held = questions.map((q) => [chosen(q) ? chosen(q).value : "", words(q).value]);
    try { localStorage.setItem(code, JSON.stringify([person.value, held])); } catch { /* nothing */ }
  };
  const restore = () => {
    try {
      const [name, held] = JSON.parse(localStorage.getItem(code));
      person.value = name;
      questions.forEach((q, n) => {
        for (const option of q.querySelectorAll("input[type=radio]"))
          option.checked = option.value === held[n][0];
        words(q).value = held[n][1];
      });
    } catch { /* nothing was kept */ }
  };

  const missing = () => questions.filter((q) => !answer(q)).map((q) => q.dataset.number);
  const tell = (before = "") => {
    const open = missing();
    const said = open.length
      ? `${questions.length - open.length} of ${questions.length} answered; open: ${open.join(", ")}.`
      : `All ${questions.length} answered.`;
    document.getElementById("state").textContent = before + said;
    document.getElementById("copy").value = table();
  };

  document.addEventListener("input", (event) => {
    const q = event.target.closest("fieldset");
    if (q && event.target.type === "radio") words(q).value = "";
    if (q && event.target.className === "own" && chosen(q)) chosen(q).checked = false;
    keep();
    tell();
  });
  // The key of an option's label chooses it, wherever the focus is in the question.
  document.addEventListener("keydown", (event) => {
    const q = event.target.closest("fieldset");
    if (!q || event.ctrlKey || event.metaKey || event.altKey || event.target.className === "own") return;
    const place = q.dataset.labels.toLowerCase().split(" ").indexOf(event.key.toLowerCase());
    if (place < 0 || !event.key.trim()) return;
    const option = q.querySelectorAll("input[type=radio]")[place];
    option.checked = true;
    option.focus();
    option.dispatchEvent(new Event("input", { bubbles: true }));
    event.preventDefault();
  });
  document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("save").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff" + table()], { type: "text/csv" }));
    link.download = `booklet-${code}.csv`;
    document.body.append(link);
    link.click();
    link.remove();
    tell(`Saved as ${link.download}. `);
  });
  restore();
  tell();
})();
