package maincontent

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// keepMarked keeps the blocks with an upper-case KEEP in them.
func keepMarked(t *testing.T, input string) string {
	t.Helper()
	p := Segment(mustParse(t, input))
	c := Choice{Blocks: make([]bool, len(p.Blocks))}
	for i := range p.Blocks {
		c.Blocks[i] = strings.Contains(p.Blocks[i].Text, "KEEP")
	}
	node := p.Keep(c)
	if node == nil {
		return ""
	}
	var out strings.Builder
	if err := html.Render(&out, node); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestKeep(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, input, want string }{
		{"nothing", "<p>a", ""},
		{"one of two", "<div><p>KEEP a</p><p>b</p></div>", "<p>KEEP a</p>"},
		{"both", "<div id=m><p>KEEP a</p><p>KEEP b</p></div><nav>n</nav>", `<div id="m"><p>KEEP a</p><p>KEEP b</p></div>`},
		{"across the body", "<header><h1>KEEP t</h1><p>x</header><p>KEEP a", "<div><header><h1>KEEP t</h1></header><p>KEEP a</p></div>"},
		{"lists", "<ul><li>KEEP a<li>b b b b<li>KEEP <b>c</b></ul>", "<ul><li>KEEP a</li><li>KEEP <b>c</b></li></ul>"},
		{"one item keeps its list", "<ul><li>KEEP a<li>b b</ul>", "<ul><li>KEEP a</li></ul>"},
		{
			"rows keep their columns", "<table><tr><th>KEEP a<th>b b<tr><td>c c<td>d d<tr><td>KEEP e<td>KEEP f</table>",
			"<table><tbody><tr><th>KEEP a</th><th></th></tr><tr><td>KEEP e</td><td>KEEP f</td></tr></tbody></table>",
		},
		{
			"images go with what is around them", "<div><img src=in><p>KEEP one two three</p></div><aside><img src=out><p>other</aside>",
			`<div><img src="in"/><p>KEEP one two three</p></div>`,
		},
		{"pictures are whole", "<div><p>KEEP a</p><picture><source srcset=s><img src=i></picture></div>", `<div><p>KEEP a</p><picture><source srcset="s"/><img src="i"/></picture></div>`},
		{"ticks of a table", "<table><tr><td>KEEP a b c<td>✓</table>", "<table><tbody><tr><td>KEEP a b c</td><td>✓</td></tr></tbody></table>"},
		{"a table is completed", "<table><tr><th>a<th>b<tr><td>KEEP c<td>d<tr><td>KEEP e<td>KEEP f</table>", "<table><tbody><tr><th>a</th><th>b</th></tr><tr><td>KEEP c</td><td>d</td></tr><tr><td>KEEP e</td><td>KEEP f</td></tr></tbody></table>"},
		{"a list within content is completed", "<div><p>KEEP a<ul><li>b b b<li>KEEP c<li>d d d</ul><p>KEEP e</div>", "<div><p>KEEP a</p><ul><li>b b b</li><li>KEEP c</li><li>d d d</li></ul><p>KEEP e</p></div>"},
		{"headings over content", "<div><h2>t</h2><p>1 May</p><p>KEEP a</p><h3>u</h3><h3>v</h3><p>KEEP b</p></div>", "<div><h2>t</h2><p>1 May</p><p>KEEP a</p><h3>v</h3><p>KEEP b</p></div>"},
		{"headings beside content", "<div><p>KEEP a</p><aside><h2>t</h2></aside><p>KEEP b</p></div>", "<div><p>KEEP a</p><p>KEEP b</p></div>"},
		{"code below content", "<div><p>KEEP a</p><pre>b</pre><p>c</p><pre>d</pre></div>", "<div><p>KEEP a</p><pre>b</pre></div>"},
		{"scripts and styles go", "<div><p>KEEP a<script>x()</script></p><style>y</style><p>KEEP b</div>", "<div><p>KEEP a</p><p>KEEP b</p></div>"},
		{"noscript is shown", "<noscript><p>KEEP a<p>KEEP b</noscript>", "<div><p>KEEP a</p><p>KEEP b</p></div>"},
		{"quotes and code", "<blockquote><p>KEEP a</blockquote><pre><code>KEEP b\n c</code></pre>", "<div><blockquote><p>KEEP a</p></blockquote><pre><code>KEEP b\n c</code></pre></div>"},
		{"links stay", "<p>x<p><a href=u>KEEP a</a> b", `<p><a href="u">KEEP a</a> b</p>`},
		{"comments go", "<div><!-- c --><p>KEEP a</p><p>KEEP b</p></div>", "<div><p>KEEP a</p><p>KEEP b</p></div>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := keepMarked(t, tt.input); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
