// Dark or light: as the system prefers, or as chosen here before. A classic script in the head, so that the page is never
// drawn in the wrong colors first.

(() => {
  const KEY = "duchamp-theme";
  const root = document.documentElement;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");

  const stored = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  };

  const chosen = stored();
  if (chosen === "dark" || chosen === "light") {
    root.dataset.theme = chosen;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const toggle = document.getElementById("theme");
    const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
    const name = () => {
      toggle.textContent = dark() ? "Light" : "Dark";
      toggle.setAttribute("aria-label", dark() ? "Light colors" : "Dark colors");
    };
    toggle.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      try {
        localStorage.setItem(KEY, root.dataset.theme);
      } catch {
        // Without storage the choice lasts as long as the page.
      }
      name();
    });
    prefersDark.addEventListener("change", name);
    name();
  });
})();
