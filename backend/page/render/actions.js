// Waits until an element matches. A page that is still building itself is asked again at each change.
const find = (selector, patience) => new Promise((resolve) => {
	let observer, timer;
	const end = (answer) => {
		observer?.disconnect();
		clearTimeout(timer);
		resolve(answer);
	};
	const look = () => {
		let element;
		try {
			element = document.querySelector(selector);
		} catch {
			return end({failure: "the selector is not valid CSS"});
		}
		if (element) end({element});
	};
	observer = new MutationObserver(look);
	observer.observe(document, {subtree: true, childList: true, attributes: true});
	timer = setTimeout(() => end({failure: `no matching element appeared within ${patience} ms`}), patience);
	look();
});

// Finds the element and where to press it. What is covered or has no size is clicked by script instead.
const click = async (selector, patience) => {
	const {element, failure} = await find(selector, patience);
	if (failure) return {failure};
	element.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
	const box = element.getBoundingClientRect();
	const x = box.left + box.width / 2, y = box.top + box.height / 2;
	const hit = box.width > 0 && box.height > 0 ? document.elementFromPoint(x, y) : null;
	if (hit && (element.contains(hit) || hit.contains(element))) return {press: true, x, y};
	element.click();
	return {};
};

// Enters a value as if typed at once: through the browser's own setter, past what frameworks put in its place, and with
// the events that they listen to.
const fill = async (selector, value, patience) => {
	const {element, failure} = await find(selector, patience);
	if (failure) return {failure};
	element.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
	if (element.disabled || element.readOnly) return {failure: "the element cannot be edited"};
	element.focus?.();
	if (element instanceof HTMLSelectElement) {
		const option = [...element.options].find((o) => o.value === value) ?? [...element.options].find((o) => o.text.trim() === value.trim());
		if (!option) return {failure: "the list does not have this option"};
		element.value = option.value;
	} else if (element instanceof HTMLInputElement && (element.type === "checkbox" || element.type === "radio")) {
		const wanted = !["", "false", "off", "0"].includes(value.trim().toLowerCase());
		if (element.checked !== wanted) element.click();
		return {};
	} else if (element instanceof HTMLInputElement && element.type === "file") {
		return {failure: "files cannot be entered"};
	} else if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
		element.value = value;
		if (value !== "" && element.value === "") return {failure: `the field does not accept this value (type ${element.type})`};
	} else if (element.isContentEditable) {
		element.textContent = value;
	} else {
		return {failure: "the element is not an input field"};
	}
	element.dispatchEvent(new InputEvent("input", {bubbles: true, composed: true, inputType: "insertText", data: value}));
	element.dispatchEvent(new Event("change", {bubbles: true}));
	return {};
};

// Scrolls the page, or where the page itself does not scroll the largest part of it that does.
const scroll = async (right, down) => {
	const page = document.scrollingElement ?? document.documentElement;
	const scrolls = (e) => (down ? e.scrollHeight > e.clientHeight : e.scrollWidth > e.clientWidth);
	let area = page;
	if (!scrolls(page)) {
		let most = 0;
		for (const e of document.querySelectorAll("main, div, section, ul, ol")) {
			const size = e.clientWidth * e.clientHeight;
			if (size <= most || !scrolls(e)) continue;
			const style = getComputedStyle(e);
			if (!/auto|scroll/.test(down ? style.overflowY : style.overflowX)) continue;
			area = e;
			most = size;
		}
	}
	area.scrollBy({left: right, top: down, behavior: "instant"});
	await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
	return {};
};

