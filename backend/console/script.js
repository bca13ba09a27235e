"use strict";
// Nothing here is needed: every page works without it.

// A form is sent once. What it spends is spent once in any case, by its Idempotency-Key.
document.addEventListener("submit", (event) => {
	const form = event.target;
	if (form.dataset.sent) {
		event.preventDefault();
		return;
	}
	form.dataset.sent = "yes";
	for (const button of form.querySelectorAll("button")) {
		button.setAttribute("aria-disabled", "true");
	}
});
// A page that comes back from the browser's memory may be sent again.
window.addEventListener("pageshow", (event) => {
	if (!event.persisted) return;
	for (const form of document.querySelectorAll("form[data-sent]")) {
		delete form.dataset.sent;
		for (const button of form.querySelectorAll("button")) button.removeAttribute("aria-disabled");
	}
});

// Work under way is read again while somebody looks, and is not in the middle of something there.
const period = 4000;
let failures = 0;
const busy = (live) =>
	document.hidden || live.contains(document.activeElement) || live.querySelector("form[data-sent]") || !getSelection().isCollapsed;

async function refresh() {
	const live = document.getElementById("live");
	if (!live || !live.dataset.refresh) return;
	if (!busy(live)) {
		try {
			const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store", redirect: "error" });
			if (!answer.ok) throw new Error(String(answer.status));
			const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
			if (fresh && !busy(live)) {
				if (fresh.innerHTML !== live.innerHTML) live.replaceChildren(...fresh.childNodes);
				if (!fresh.dataset.refresh) {
					delete live.dataset.refresh;
					document.getElementById("news").textContent = "The work in progress has finished.";
				}
			}
			failures = 0;
		} catch {
			failures++;
		}
	}
	if (failures < 10) setTimeout(refresh, period * (1 + failures));
}
setTimeout(refresh, period);
