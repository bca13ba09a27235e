//go:build linux

package e2e

// scriptPlagues are the hostile pages that are rendered.
var scriptPlagues = []plague{
	{name: "a script without end", lasts: true, script: `for (;;) {}`},
	{name: "promises without end", lasts: true, script: `const again = () => Promise.resolve().then(again); again()`},
	{name: "a regular expression without end", lasts: true, script: `/^(a+)+$/.test("a".repeat(40) + "b")`},
	{name: "memory of the script", script: `const kept = []; for (;;) kept.push(new Array(1 << 20).fill(Math.random()))`},
	{name: "memory beside the script", script: `const kept = []; setInterval(() => { const b = new Uint8Array(64 << 20); for (let i = 0; i < b.length; i += 4096) b[i] = 1; kept.push(b) }, 1)`},
	{name: "memory of WebAssembly", script: `const kept = []; setInterval(() => { const m = new WebAssembly.Memory({initial: 1000}); new Uint8Array(m.buffer).fill(1); kept.push(m) }, 1)`},
	{name: "memory of blobs", script: `const kept = []; setInterval(() => kept.push(new Blob([new Uint8Array(32 << 20).fill(1)])), 1)`},
	{name: "alerts without end", script: `for (;;) { alert(1); confirm(2); prompt(3) }`, lasts: true},
	{name: "asks not to be left", script: `addEventListener("beforeunload", (e) => { e.preventDefault(); e.returnValue = "no" }); setInterval(() => { location = "/article/" + Math.random() }, 50)`},
	{name: "prints without end", script: `setInterval(() => print(), 1)`},
	{name: "windows without end", script: `setInterval(() => open("/article/x" + Math.random()), 1)`},
	{name: "a million nodes", script: `for (let i = 0; i < 1e6; i++) document.body.append(document.createElement("b"))`},
	{name: "nodes 100,000 deep", script: `let e = document.body; for (let i = 0; i < 1e5; i++) e = e.appendChild(document.createElement("div"))`},
	{name: "shadow trees 2,000 deep", script: `let e = document.body; for (let i = 0; i < 2000; i++) { const d = document.createElement("div"); e.append(d); e = d.attachShadow({mode: i % 2 ? "open" : "closed"}) }`},
	{name: "elements that may hide something", script: `for (let i = 0; i < 20000; i++) document.body.append(document.createElement("x-" + i))`},
	{name: "frames in frames", script: `const f = () => { for (let i = 0; i < 50; i++) { const e = document.createElement("iframe"); e.width = e.height = 200; e.srcdoc = "<p>x</p>".repeat(1000); document.body.append(e) } }; f(); setInterval(f, 100)`},
	{name: "a document of 100 MB", script: `document.body.append("x".repeat(100 << 20))`},
	{name: "canvases of 64 megapixels", script: `for (let i = 0; i < 20; i++) { const c = document.createElement("canvas"); c.width = c.height = 8192; c.getContext("2d").fillRect(0, 0, 8192, 8192); document.body.append(c) }`},
	{name: "a page a million pixels high", script: `document.body.style.height = "1000000px"; document.body.style.background = "linear-gradient(red, blue)"`},
	{name: "workers without end", script: `setInterval(() => new Worker(URL.createObjectURL(new Blob(["for (;;) {}"]))), 10)`},
	{name: "requests without end", script: `setInterval(() => { for (let i = 0; i < 100; i++) fetch("/missing/" + Math.random()) }, 1)`},
	{name: "sockets without end", script: `setInterval(() => new WebSocket("ws://" + location.host + "/missing/" + Math.random()), 1)`},
	{name: "reloads without end", script: `location.reload()`},
	{name: "places without end", script: `let i = 0; setInterval(() => { location = "/page?html=" + encodeURIComponent(document.documentElement.outerHTML) + "&n=" + i++ }, 1)`},
	{name: "history without end", script: `let i = 0; setInterval(() => { for (let j = 0; j < 100; j++) { history.pushState({}, "", "#" + i++); location.hash = "x".repeat(1e5) + i } }, 1)`},
	{name: "changes without end", script: `setInterval(() => { document.body.textContent = Math.random(); document.title = "t".repeat(1e6) }, 1)`},
	{name: "cookies without end", script: `let i = 0; setInterval(() => { for (let j = 0; j < 100; j++) document.cookie = "c" + i++ + "=" + "v".repeat(4000) }, 1)`},
	{name: "words without end", script: `setInterval(() => console.log("x".repeat(1e6)), 1)`},
	{name: "built-ins that lie", script: `Object.defineProperty(Element.prototype, "outerHTML", {get: () => "forged"}); Promise = Map = undefined; document.querySelectorAll = () => { for (;;) {} }`},
	{name: "addresses of 30 MB", script: `new Image().src = "data:image/png;base64," + "A".repeat(30 << 20); fetch("/x?" + "y".repeat(20 << 20))`},
}
