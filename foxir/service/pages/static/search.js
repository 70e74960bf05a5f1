// Enter searches, as in a box of one line; Shift and Enter begin a new line. Empty fields stay out of the address.
"use strict";
const box = document.getElementById("q");
box.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  box.form.requestSubmit(box.form.querySelector("button"));
});
box.form.addEventListener("formdata", (event) => {
  for (const [name, value] of [...event.formData]) {
    if (name !== "q" && (value === "" || (value instanceof File && !value.name))) event.formData.delete(name);
  }
});
