// Enter searches, as in a box of one line; Shift and Enter begin a new line.
"use strict";
const box = document.getElementById("q");
box.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  box.form.requestSubmit(box.form.querySelector("button"));
});
