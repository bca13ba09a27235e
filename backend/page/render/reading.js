// Frames are read where they are part of what is seen: some documentation and many shops put their text there. These
// bound what is read of them, and keep the frames of counters and log-ins out.
const framesMax = 20, frameDepthMax = 3, frameSideMin = 100;

// The shadow trees of this document that are closed to scripts, by their hosts. The browser tells us of them, for those
// elements that unopened names.
const closed = globalThis.turnpikeClosed ??= new Map();

const shadowOf = (element) => element.shadowRoot ?? closed.get(element);

// Returns elements that may have a closed shadow tree, and that were not named before: no more than max in all.
const unopened = (max) => {
	const asked = globalThis.turnpikeAsked ??= new Set();
	const roots = [document], found = [];
	while (roots.length > 0) {
		for (const element of roots.pop().querySelectorAll("*")) {
			const shadow = shadowOf(element);
			if (shadow) roots.push(shadow);
			if (shadow || !element.localName.includes("-") || asked.has(element)) continue;
			if (asked.size >= max) return found;
			asked.add(element);
			found.push(element);
		}
	}
	return found;
};

// Nodes of this document load nothing and run nothing.
const inert = document.implementation.createHTMLDocument("");

const escaped = (text) => text.replace(/[&\u00a0<>]/g, (c) => ({"&": "&amp;", "\u00a0": "&nbsp;", "<": "&lt;", ">": "&gt;"})[c]);

// Returns what is in a frame, or nothing where it is of another origin, or too small to be read.
const insideOf = (frame) => {
	if (frame.localName !== "iframe" && frame.localName !== "frame") return null;
	if (frame.clientWidth < frameSideMin || frame.clientHeight < frameSideMin) return null;
	try {
		return frame.contentDocument?.body ?? null;
	} catch {
		return null;
	}
};

// What is shown in place of an element's children: a shadow tree, the elements that a slot was given, a frame's body.
// Of what a shadow host has beside that, only data is kept, which nobody sees anywhere.
const shownIn = (element, shadows) => {
	const shadow = shadows.get(element);
	if (shadow) {
		const data = [...element.children].filter((e) => e.localName === "meta" || e.localName === "link" || e.localName === "script").filter((e) => !e.assignedSlot);
		return [...data, ...shadow.childNodes];
	}
	if (element.localName === "slot" && element.getRootNode() instanceof ShadowRoot) {
		const assigned = element.assignedNodes();
		if (assigned.length > 0) return assigned;
	}
	return element.childNodes;
};

// Finds the shadow trees and the frames below root, and every element between them and root: the rest is as the browser
// itself writes it.
const survey = (root, depth) => {
	const found = {shadows: new Map(), frames: new Map(), between: new Set([root])};
	const roots = [root];
	while (roots.length > 0) {
		for (const element of roots.pop().querySelectorAll("*")) {
			const shadow = shadowOf(element);
			const inside = depth < frameDepthMax && found.frames.size < framesMax ? insideOf(element) : null;
			if (shadow) {
				found.shadows.set(element, shadow);
				roots.push(shadow);
			}
			if (inside) found.frames.set(element, inside);
			if (!shadow && !inside && !["slot", "frame", "frameset"].includes(element.localName)) continue;
			for (let e = element; e && !found.between.has(e); e = e.parentNode ?? e.host) found.between.add(e);
		}
	}
	return found;
};

// Makes the addresses in a frame's HTML absolute: it is read as part of another document.
const rebased = (html, base) => {
	const body = new DOMParser().parseFromString(html, "text/html").body;
	for (const name of ["href", "src", "action", "poster"]) {
		for (const e of body.querySelectorAll(`[${name}]`)) {
			try {
				e.setAttribute(name, new URL(e.getAttribute(name), base).href);
			} catch {}
		}
	}
	return body.innerHTML;
};

// Returns the tags of an element, and what of it is to be written between them: nodes and texts, in order.
const taken = (node, {shadows, frames}, max, depth) => {
	const shadowed = node.getRootNode() instanceof ShadowRoot;
	const inside = frames.get(node);
	const framed = inside && `<div data-frame="${escaped(inside.ownerDocument.URL).replaceAll('"', "&quot;")}">${rebased(flattened(inside, max, depth + 1), inside.baseURI)}</div>`;
	const name = node === document.body ? "body" : "div";
	switch (node.localName) {
	case "slot":
		if (shadowed) return ["", shownIn(node, shadows), ""];
		break;
	case "frameset": // a document that is read has none
		return [`<${name}>`, node.childNodes, `</${name}>`];
	case "frame":
		return ["", framed ? [framed] : [], ""];
	}
	const tags = inert.importNode(node, false).outerHTML, end = tags.lastIndexOf("</");
	if (end < 0) return [tags, [], ""];
	if (framed) return [tags + framed, [], ""];
	return [tags.slice(0, end), shownIn(node, shadows), tags.slice(end)];
};

// Writes an element as HTML with its shadow trees and frames in place. It gives up beyond max characters.
const flattened = (root, max, depth) => {
	const found = survey(root, depth);
	const parts = [];
	let length = 0;
	const work = [root]; // nodes to write, and texts that come after them
	while (work.length > 0 && length <= max) {
		const node = work.pop();
		let text = "";
		if (typeof node === "string") {
			text = node;
		} else if (node.nodeType === Node.TEXT_NODE) {
			text = escaped(node.data);
		} else if (node.nodeType === Node.COMMENT_NODE) {
			text = `<!--${node.data}-->`;
		} else if (node.nodeType !== Node.ELEMENT_NODE || isStyleOfShadow(node)) {
			continue;
		} else if (!found.between.has(node) || found.between.size === 1) {
			text = node.outerHTML;
		} else {
			const [before, within, after] = taken(node, found, max - length, depth);
			text = before;
			work.push(after);
			for (let i = within.length - 1; i >= 0; i--) work.push(within[i]);
		}
		parts.push(text);
		length += text.length;
	}
	return parts.join("");
};

// Styles of a shadow tree are for it alone.
const isStyleOfShadow = (e) => (e.localName === "style" || e.localName === "link" && e.relList.contains("stylesheet")) && e.getRootNode() instanceof ShadowRoot;

// Serialises the document as it is seen, if it is not too large, for serialised to be asked for. The length is at least
// that in UTF-8, where it is within max.
const serialise = (max) => {
	globalThis.turnpikeSerialised = "";
	if (!document.documentElement) return {length: 0};
	const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) + "\n" : "";
	const html = doctype + flattened(document.documentElement, max, 0);
	if (html.length > max) return {length: html.length, tooLarge: true};
	globalThis.turnpikeSerialised = html;
	return {length: /[^\x00-\x7f]/.test(html) ? 3 * html.length : html.length};
};

// Returns what serialise has made, or nothing where there is another document by now.
const serialised = () => {
	const html = globalThis.turnpikeSerialised ?? null;
	delete globalThis.turnpikeSerialised;
	return {html};
};
