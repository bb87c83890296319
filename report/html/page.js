"use strict";
// The page needs no script. This adds a button that turns the theme, and opens everything for paper.
const button = document.getElementById("theme");
const root = document.documentElement;
const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
const name = () => { button.textContent = dark() ? "Light" : "Dark"; button.setAttribute("aria-label", "Turn the page " + (dark() ? "light" : "dark")); };
button.hidden = false;
name();
button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
const closed = [];
addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("details.fold:not([open])")) { d.open = true; closed.push(d); } });
addEventListener("afterprint", () => { for (const d of closed.splice(0)) d.open = false; });
// A link to a row opens what it is folded into.
const reveal = () => { const at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let d = at && at.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
  if (at) at.scrollIntoView({ block: "center" }); };
addEventListener("hashchange", reveal);
reveal();
