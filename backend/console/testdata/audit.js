// What every page must be for people who do not see it, see it badly, or use no mouse. It returns what is wrong.
(() => {
	const faults = [];
	const fault = (rule, element, more) => faults.push(`${rule}: ${element ? element.outerHTML.replace(/\s+/g, " ").slice(0, 160) : ""} ${more ?? ""}`);
	const shown = (e) => e.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
	const all = (selector, root = document) => [...root.querySelectorAll(selector)];

	if (document.documentElement.lang !== "en") fault("the page has no language");
	if (!document.title.trim()) fault("the page has no title");
	for (const [selector, count] of [["main", 1], ["header", 1], ["h1", 1]]) {
		if (all(selector).length !== count) fault(`want ${count} of ${selector}, got ${all(selector).length}`);
	}
	for (const nav of all("nav")) if (!nav.getAttribute("aria-label")) fault("a navigation has no name", nav);
	let level = 0;
	for (const heading of all("h1, h2, h3, h4").filter(shown)) {
		const now = Number(heading.tagName[1]);
		if (now > level + 1) fault("a heading skips a level", heading);
		if (!heading.textContent.trim()) fault("a heading is empty", heading);
		level = now;
	}
	const ids = new Set();
	for (const element of all("[id]")) {
		if (ids.has(element.id)) fault("an id is there twice", element);
		ids.add(element.id);
	}
	for (const name of ["aria-labelledby", "aria-describedby"]) {
		for (const element of all(`[${name}]`)) {
			for (const id of element.getAttribute(name).split(/\s+/)) if (!ids.has(id)) fault(`${name} leads nowhere`, element, id);
		}
	}
	for (const field of all("input:not([type=hidden]), select, textarea")) {
		if (!field.labels.length && !field.getAttribute("aria-label")) fault("a field has no label", field);
	}
	for (const group of all("fieldset")) if (!group.querySelector("legend")?.textContent.trim()) fault("a group of fields has no legend", group);
	for (const table of all("table")) {
		for (const cell of all("thead th", table)) if (cell.scope !== "col") fault("a column's head has no scope", cell);
	}
	for (const svg of all("svg")) {
		if (svg.getAttribute("aria-hidden") === "true") continue;
		if (svg.getAttribute("role") !== "img" || !svg.querySelector("title")?.textContent || !svg.querySelector("desc")?.textContent) fault("a picture says nothing", svg);
	}
	for (const element of all("[tabindex]")) if (element.tabIndex > 0) fault("the order of the keyboard is meddled with", element);
	for (const box of all("*")) {
		const style = getComputedStyle(box);
		if (/(auto|scroll)/.test(style.overflowX + style.overflowY) && (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1) &&
			box.tabIndex < 0 && box !== document.documentElement && box.tagName !== "TEXTAREA" && !box.querySelector("a, button, input")) fault("what scrolls cannot be reached by keyboard", box);
	}
	if (document.documentElement.scrollWidth > innerWidth + 1) {
		const wide = all("body *").filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, .unseen, .skip"));
		fault("the page is wider than its window", wide[0], `${document.documentElement.scrollWidth} > ${innerWidth}`);
	}
	for (const target of all("button, input:not([type=hidden]), select, a.button, nav a, summary").filter(shown)) {
		const box = (target.closest("label") ?? target).getBoundingClientRect();
		if (box.width < 24 || box.height < 24) fault("a target is smaller than 24 by 24", target, `${box.width} by ${box.height}`);
	}

	// Contrast by WCAG 2: text 4.5 (3 where it is large), the borders of fields and of what is drawn 3.
	const parse = (text) => {
		const m = text.match(/^rgba?\(([\d.]+)[, ]+([\d.]+)[, ]+([\d.]+)(?:[,/ ]+([\d.]+))?\)$/);
		return m ? [Number(m[1]), Number(m[2]), Number(m[3]), m[4] === undefined ? 1 : Number(m[4])] : null;
	};
	const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
	const base = parse(getComputedStyle(document.body).backgroundColor);
	const ground = (element) => {
		const layers = [];
		for (let e = element; e; e = e.parentElement) layers.unshift(parse(getComputedStyle(e).backgroundColor) ?? [0, 0, 0, 0]);
		return layers.reduce((under, top) => over(top, under), base);
	};
	const light = (c) => {
		const [r, g, b] = c.slice(0, 3).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const contrast = (a, b) => {
		const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
		return (x + 0.05) / (y + 0.05);
	};
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	const seen = new Set();
	while (walker.nextNode()) {
		const element = walker.currentNode.parentElement;
		if (!walker.currentNode.data.trim() || seen.has(element) || !shown(element) || element.closest("title, desc, .unseen, .skip, script")) continue;
		seen.add(element);
		const style = getComputedStyle(element);
		let under = ground(element);
		if (element.closest("svg")) under = element.matches(".label") ? over(parse(getComputedStyle(document.querySelector(".dag .step")).fill), under) : under;
		const colour = parse(element.closest("svg") ? style.fill : style.color);
		const size = parseFloat(style.fontSize);
		const wanted = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
		const got = contrast(over(colour, under), under);
		if (got < wanted) fault("text has too little contrast", element, `${got.toFixed(2)} of ${wanted}`);
	}
	for (const field of all("input:not([type=hidden], [type=radio], [type=checkbox]), select, textarea").filter(shown)) {
		const got = contrast(parse(getComputedStyle(field).borderTopColor), ground(field.parentElement));
		if (got < 3) fault("a field's border has too little contrast", field, got.toFixed(2));
		const hint = parse(getComputedStyle(field, "::placeholder").color);
		if (field.placeholder && contrast(hint, ground(field)) < 4.5) fault("a placeholder has too little contrast", field);
	}
	for (const drawn of all("svg .day, svg .step, svg .arrow")) {
		const style = getComputedStyle(drawn);
		const colour = parse(drawn.matches(".day") ? style.fill : style.stroke);
		if (contrast(colour, ground(drawn)) < 3) fault("what is drawn has too little contrast", drawn);
	}
	return faults;
})()
