package markdown

import (
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"

	"github.com/turnpike-edge/turnpike/backend/page/extract/links"
	"github.com/turnpike-edge/turnpike/backend/page/extract/markup"
)

// written returns the markdown and the text of a page.
func written(t *testing.T, input string) (markdown, text string) {
	t.Helper()
	root, _, err := markup.Parse([]byte(input), 10_000)
	if err != nil {
		t.Fatalf("parsing: %v", err)
	}
	address, err := whatwg.Parse("https://example.com/a/b.html")
	if err != nil {
		t.Fatalf("parsing the address: %v", err)
	}
	references := links.NewReferences(root, address)
	if err := references.MakeAbsolute(root, 0); err != nil {
		t.Fatalf("resolving: %v", err)
	}
	p := New(root, references)
	p.Rescue()
	p.Polish()
	text = p.Text(func(*html.Node) bool { return false })
	if markdown, err = p.Markdown(len(text)); err != nil {
		t.Fatalf("writing: %v", err)
	}
	return markdown, text
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ input, want string }{
		"what looks like markup":  {`<p># no * list_ [x](y) \* a_b_c &lt;b> &amp;amp; 1 * 2</p>`, `\# no * list\_ [x\](y) \\\* a_b_c \<b> \&amp; 1 * 2`},
		"a heading of text":       {`<p># no</p>`, `\# no`},
		"a list of text":          {`<p>- no</p><p>1. no</p><p>* no</p><p>+ no</p>`, "\\- no\n\n1\\. no\n\n\\* no\n\n\\+ no"},
		"brackets over elements":  {`<p>[a]<span>(b)</span></p>`, `[a]\(b)`},
		"an image of text":        {`<p>wow!<a href="/x">y</a></p>`, `wow\![y](https://example.com/x)`},
		"emphasis with space":     {`<p>a<b> b </b>c</p>`, `a **b** c`},
		"emphasis that goes on":   {`<p><b>a</b><b>b</b> <strong><b>c</b></strong></p>`, `**ab** **c**`},
		"empty emphasis":          {`<p>a<b></b><i> </i>b</p>`, `a b`},
		"emphasis at punctuation": {`<p><b>Note:</b>text</p>`, `<strong>Note:</strong>text`},
		"emphasis around blocks":  {`<b><p>a</p><p>b</p></b>`, "**a**\n\n**b**"},
		"addresses":               {`<a href="https://x.example/a_(b) c">d</a> <a href="https://x.example/">https://x.example/</a>`, `[d](https://x.example/a_%28b%29%20c) <https://x.example/>`},
		"links that lead nowhere": {`<a href="javascript:x()">a</a> <a href="">b</a> <a href="/c"></a><a>d</a> <a href="#">e</a>`, `a [b](https://example.com/a/b.html) d [e](https://example.com/a/b.html#)`},
		"brackets in links":       {`<a href="/x">[PDF] a</a>`, `[\[PDF\] a](https://example.com/x)`},
		"a link around blocks":    {`<a href="/x"><img src="/i" alt="i"><h3>T</h3><p>d</p></a>`, "![i](https://example.com/i)\n\n### [T](https://example.com/x)\n\nd"},
		"a link around an image":  {`<a href="/x"><img src="/i" alt="a [b]"></a>`, `[![a \[b\]](https://example.com/i)](https://example.com/x)`},
		"code with backticks":     {"<p><code>a`b</code> <code>``</code></p>", "``a`b`` ``` `` ```"},
		"a fence in code":         {"<pre><code class=language-md>```\nx\n```</code></pre>", "````md\n```\nx\n```\n````"},
		"code of lines":           {`<pre><div class="line">a</div><div class="line"></div><div class="line">  b</div></pre>`, "```\na\n\n  b\n```"},
		"numbered lines": {`<pre class="brush: js; first-line: 3"><span class="lineno">1</span>a
<span class="lineno">2</span>b</pre>`, "```js\na\nb\n```"},
		"code in a table": {`<table class="highlighttable"><tr><td class="linenos"><pre>1
2</pre></td><td class="code"><pre><code data-lang="sql">select
1</code></pre></td></tr></table>`, "```sql\nselect\n1\n```"},
		"tasks":                         {`<ul><li><input type=checkbox checked> a</li><li><label><input type=checkbox> b</label></li></ul>`, "- [x] a\n- [ ] b"},
		"a list of text that is a task": {`<ul><li>[x] a</li></ul>`, `- \[x] a`},
		"loose lists":                   {`<ul><li><p>a</p><p>b</p></li><li>c<pre>d</pre></li></ul>`, "- a\n\n  b\n\n- c\n\n  ```\n  d\n  ```"},
		"numbers":                       {`<ol start=9><li>a<ul><li>b</ul></li><li>c</li><li value=3>d</li></ol>`, "9. a\n   - b\n10. c\n3. d"},
		"a list without items":          {`<ul><div>a</div><div>b</div></ul>`, "- a\n- b"},
		"a list in a list":              {`<ul><li>a</li><ul><li>b</li></ul></ul>`, "- a\n  - b"},
		"quotes of quotes":              {`<blockquote><p>a</p><blockquote>b</blockquote><ul><li>c</ul></blockquote>`, "> a\n>\n> > b\n>\n> - c"},
		"cells":                         {"<table><tr><th>a|b<th align=center>c<tr><td><code>x|y</code><td><ul><li>1<li>2</ul><tr><td>z<br>z<td><p>p<p>q</table>", "| a\\|b | c |\n|---|:-:|\n| `x\\|y` | - 1<br>- 2 |\n| z<br>z | p<br>q |"},
		"spans of cells":                {`<table><tr><th>a<th>b<th>c<tr><td rowspan=2>1<td colspan=2>2<tr><td>3<td>4</table>`, "| a | b | c |\n|---|---|---|\n| 1 | 2 |  |\n|  | 3 | 4 |"},
		"headers in rows":               {`<table><tr><th>a<td>1<tr><th>b<td>2</table>`, "|  |  |\n|---|---|\n| a | 1 |\n| b | 2 |"},
		"layout":                        {`<table><tr><td><h2>a</h2></td><td><table><tr><td>x<td>y<tr><td>1<td>2</table></td></tr></table>`, "## a\n\n| x | y |\n|---|---|\n| 1 | 2 |"},
		"a table in a cell":             {`<table><tr><th>a<th>b<tr><td><table><tr><td>x<td>y<tr><td>z</table><td>c</table>`, "| a | b |\n|---|---|\n| x y<br>z | c |"},
		"definitions":                   {`<dl><dt>a<dt>b<dd>c<dd>d<dt>e<dd>f</dl>`, "**a**, **b**\n\nc\n\nd\n\n**e**\n\nf"},
		"details":                       {`<details><summary>a <b>b</b></summary>c</details>`, "**a b**\n\nc"},
		"small marks":                   {`<p>H<sub>2</sub>O x<sup>2</sup> 1<sup>st</sup> <kbd>Esc</kbd> <mark>m</mark> <ins>i</ins> <del>d</del> <q>a <q>b</q></q></p>`, `H<sub>2</sub>O x<sup>2</sup> 1st <kbd>Esc</kbd> <mark>m</mark> <ins>i</ins> ~~d~~ “a ‘b’”`},
		"permalinks":                    {`<h2 id=a><a class=anchor href="#a">#</a> A <a href="#a">¶</a></h2><h3><a href="#b">B</a></h3><h4>C #</h4>`, "## A\n\n### B\n\n#### C \\#"},
		"lines across":                  {`<hr><p>a</p><hr><hr><p>b</p><hr>`, "a\n\n---\n\nb"},
		"breaks":                        {`<p>a<br>b<br><br>c<br></p>`, "a  \nb\n\nc"},
		"players":                       {`<iframe src="https://www.youtube.com/embed/xyz?a=1" title="T"></iframe><video><source src="/v.mp4"></video><iframe src="https://ads.example/"></iframe>`, "[YouTube video: T](https://www.youtube.com/watch?v=xyz)\n\n[Video](https://example.com/v.mp4)"},
		"lazy images":                   {`<p><img src="data:x" data-src="/a.jpg" alt=a> <img data-srcset="/s.jpg 300w, /m.jpg 900w, /l.jpg 5000w" alt=b> <img src="/pixel.gif" width=1 height=1></p>`, `![a](https://example.com/a.jpg) ![b](https://example.com/m.jpg)`},
		"dollars":                       {`<p>$1 <math><mi>x</mi></math>, $2</p>`, `\$1 $x$, \$2`},
		"dollars without math":          {`<p>$1 to $2</p>`, `$1 to $2`},
		"math of characters":            {`<math display=block><msqrt><mi>x</mi></msqrt><mo>≤</mo><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>sin</mi><mi>α</mi></math>`, "$$\n\\sqrt{x} ≤ ∑_{i = 1}^n\\sin α\n$$"},
		"icons and soft hyphens":        {"<p>\ue001a\u00adb\u200bc&nbsp;d\u200d</p>", "abc d\u200d"},
		"footnotes":                     {`<p>a<sup><a href="#fn1" id="r1">1</a></sup> b<sup><a href="#fn2">*</a></sup></p><ol><li id=fn1>One <a href="#r1">↩</a></li><li id=fn2>* Two</li></ol>`, "a[^1] b[^2]\n\n[^1]: One\n\n[^2]: Two"},
		"links that only look like it":  {`<p><sup><a href="#s">2</a></sup></p><h2 id=s>S</h2>`, "<sup>[2](https://example.com/a/b.html#s)</sup>\n\n## S"},
	} {
		got, _ := written(t, test.input)
		if got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

func TestTextAgreesWithMarkdown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ input, want string }{
		"rows":      {`<table><tr><th>a<th><th>c<tr><td><p>1</p><p>2</p><td>x<br>y<td><ul><li>l</ul></table>`, "a\t\tc\n1 2\tx y\tl"},
		"code":      {"<pre class=prettyprint><ol><li>a</li><li>  b</li></ol></pre>", "a\n  b"},
		"math":      {`<p>so <span class="math inline">\(x^2\)</span> and $</p>`, `so $x^2$ and $`},
		"powers":    {`<p>10<sup>6</sup> m<sup>2</sup></p>`, "10^6 m2"},
		"footnotes": {`<p>a<sup><a href="#fn1">1</a></sup></p><p id=fn1>1. One</p>`, "a[1]\n\n[1] One"},
		"players":   {`<p>a</p><iframe src="https://www.youtube.com/embed/xyz"></iframe>`, "a"},
		"tasks":     {`<ul><li><input type=checkbox checked>a</ul>`, "- [x] a"},
	} {
		if _, got := written(t, test.input); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
