package agent

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/jsonschema"
	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

// stems are strings of which text that addresses machines contains at least one. Only text with a stem is matched against
// machineWords.
var stems = []string{
	"ignor", "disregard", "forget", "overrid", "bypass", "overwrit", "system", "assistant", "developer", "instruction", "prompt", "language model",
	"llm", " ai", "ai ", "gpt", "claude", "chatbot", "tool", "function", "inst]", "im_start", "im_end", "sys>", "instead", "from now on", "do not ",
	"don't ", "never ", "conversation", "secret", "credential", "submit_answer", "open_page", "read_more", "exfiltrat", "context file", "you are now",
	"vergiss", "missacht", "anweisung", "oubli", "consigne", "olvid", "instruc",
}

// machineWords match text with which strangers address models: to divert them from their task by posing as its author, by naming
// their tools, or by asking them to send data somewhere. This helps but is no barrier, because there are endless ways to phrase this.
var machineWords = regexp.MustCompile(strings.Join([]string{
	`\b(ignore|ignoring|disregard|forget|override|bypass|overwrite)\b.{0,60}` +
		`\b(instructions?|prompts?|rules|guidelines|directions|commands?|task|fields?|values?|context|sources?|pages?)\b`,
	`\bsystem\s*-?\s*(prompt|message|override|instructions?|note|alert|update|notice)\b`,
	`\b(system|assistant|developer)\s*\]?\s*:.{0,80}\b(you|ignore|must|reply|respond|answer|call|open|output|submit|set|use|report)\b`,
	`<\|?/?(im_start|im_end|system|assistant|endoftext|tool_calls?|function_calls?|tool_results?|invoke|instructions?)\b[^>]{0,40}>`,
	`\[/?inst\]`, `<</?sys>>`, `\[/?system\]`,
	`\b(ai|ais|llms?|language models?|chatbots?|gpt|claude)\b.{0,60}` +
		`\b(must|should|shall|need to|have to|are (instructed|required|ordered|asked|to)|is (instructed|required|to)|please)\b`,
	`\b(if|when|since|as) (you are|you're|an?) an? ?(ai|llm|language model|chatbot|assistant|bot|agent|model)\b`,
	`\b(dear|attention|hey|(notes?|notices?|hints?|instructions?|messages?) (to|for))\b.{0,30}\b(ai|ais|llms?|language models?|models?|assistants?|agents?|chatbots?|bots?)\b`,
	`\b(new|updated|revised|real|actual|secret|hidden|important|additional|further|final)\s+(system\s+)?(instructions?|directives?|objectives?|task)\s*[:.]`,
	`\b(do not|don't|never)\b.{0,30}\b(tell|inform|mention|reveal|alert|warn)\b.{0,30}\b(users?|callers?|humans?|operators?|anyone)\b`,
	`\b(submit_answer|open_page|read_more|tool calls?|function calls?|context files?)\b`,
	`\b(instead|from now on)\b.{0,40}\b(answer|reply|respond|output|report|submit|return|say|write|open|fetch)\b`,
	`\b(answer|reply|respond|report|output|return|submit)\b.{0,80}\binstead\b`,
	`\b(send|post|forward|leak|exfiltrate|append|transmit|upload)\b.{0,80}\b(context|conversation|prompts?|instructions|secrets?|api keys?|credentials|task)\b`,
	`\byou are now\b.{0,30}\b(ai|model|assistant|mode|dan|unrestricted|agent)\b`,
	`\b(ignoriere|ignorieren|vergiss|vergessen sie|missachte|missachten)\b.{0,60}\b(anweisung|anweisungen|vorgaben|befehle|regeln)\b`,
	`\b(ignorez?|ignorer|oublie[zr]?)\b.{0,60}\b(instructions|consignes|r[eè]gles)`,
	`\b(ignora|ignore|olvida|olvide)\b.{0,60}\b(instrucciones|indicaciones|reglas)\b`,
}, "|"))

// speaksToMachines reports whether text is meant for a model rather than for people.
func speaksToMachines(text string) bool {
	folded := " " + strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(visible(text)))), " ") + " "
	folded = strings.NewReplacer("’", "'", "*", "", "_ ", " ", " _", " ").Replace(folded)
	return slices.ContainsFunc(stems, func(stem string) bool { return strings.Contains(folded, stem) }) && machineWords.MatchString(folded)
}

// visible removes characters that are invisible to people but read by models: tag characters, zero-width characters, and
// those that change the text direction.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xE0000 && r <= 0xE0FFF, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F, r == 0x200B, r == 0xFEFF, r == 0xAD, r == 0x180E:
			return -1
		case unicode.IsControl(r) && r != '\n' && r != '\t':
			return -1
		}
		return r
	}, text)
}

const (
	// contentBytesMax is how much of a page's content is read, which is more than the model is shown: matching half a
	// megabyte of adversarial text takes a second.
	contentBytesMax = 200 << 10
	// lineRunesMax is the length up to which lines are judged whole; longer ones are judged by sentence.
	lineRunesMax = 300
	// leadBytesMax is the length up to which text that addresses machines counts as the heading of what follows.
	leadBytesMax = 160
)

var sentenceEnd = regexp.MustCompile(`[.!?。]["')\]]*\s+`)

// forPeople is text without the parts that address machines and what those introduce.
func forPeople(text string) string {
	text = visible(text)
	var out []string
	lead := false
	keep := func(unit string) bool {
		trimmed := strings.TrimSpace(unit)
		if trimmed == "" {
			return true
		}
		wasLead := lead
		speaks := speaksToMachines(unit)
		lead = speaks && (strings.HasSuffix(trimmed, ":") || len(trimmed) <= leadBytesMax)
		return !speaks && !wasLead
	}
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) <= lineRunesMax {
			if keep(line) {
				out = append(out, line)
			}
			continue
		}
		var kept strings.Builder
		begin := 0
		for _, end := range append(sentenceEnd.FindAllStringIndex(line, -1), []int{0, len(line)}) {
			if unit := line[begin:end[1]]; keep(unit) {
				kept.WriteString(unit)
			} else {
				kept.WriteString("\n") // the texts on either side were separate
			}
			begin = end[1]
		}
		out = append(out, kept.String())
	}
	// Text that spans several lines is recognized only as a whole block.
	joined := strings.Join(out, "\n")
	return strings.Join(slices.DeleteFunc(strings.Split(joined, "\n\n"), func(block string) bool {
		return len(block) <= 4*lineRunesMax && strings.Contains(block, "\n") && speaksToMachines(block)
	}), "\n\n")
}

// short is forPeople for a single unit: a title, a cell.
func short(text string) string {
	if text = visible(text); speaksToMachines(text) {
		return ""
	}
	return text
}

// readable is a source as it is shown to the model and checked against values: only the forms that are evidence, without
// text that addresses machines.
func readable(source *ask.Source) *ask.Source {
	out := *source
	out.Title, out.Page = short(source.Title), extract.Source{URL: source.Page.URL}
	if len(source.JSON) > 0 {
		out.JSON = nil
		if value, err := jsonschema.Parse(source.JSON); err == nil {
			out.JSON = jsonschema.Encode(valueForPeople(value))
		}
	}
	d := extract.Document{}
	if source.Document != nil {
		d = *source.Document
	}
	d.HTML, d.Feed = "", nil
	if len(source.JSON) > 0 {
		d.Text, d.Markdown = string(out.JSON), ""
	} else {
		d.Text, d.Markdown = forPeople(beginning(d.Text)), forPeople(beginning(d.Markdown))
	}
	m := &d.Metadata
	m.Title, m.Description, m.SiteName, m.Author = short(m.Title), short(m.Description), short(m.SiteName), short(m.Author)
	m.Authors, m.OpenGraph = nil, nil
	d.Links = slices.Clone(d.Links[:min(len(d.Links), linksMax)])
	for i := range d.Links {
		d.Links[i].Text = short(d.Links[i].Text)
	}
	if d.Structured != nil {
		d.Structured = structuredForPeople(d.Structured)
	}
	out.Document = &d
	return &out
}

// beginning is the part of a content that is read, up to a line end if there are lines.
func beginning(text string) string {
	if len(text) <= contentBytesMax {
		return text
	}
	text = text[:contentBytesMax]
	if end := strings.LastIndexByte(text, '\n'); end > contentBytesMax/2 {
		return text[:end]
	}
	return strings.ToValidUTF8(text, "")
}

func structuredForPeople(s *extract.Structured) *extract.Structured {
	out := &extract.Structured{}
	for _, list := range []struct{ from, to *[]*extract.Item }{{&s.JSONLD, &out.JSONLD}, {&s.Microdata, &out.Microdata}, {&s.RDFa, &out.RDFa}} {
		for _, item := range *list.from {
			*list.to = append(*list.to, itemForPeople(item))
		}
	}
	for _, table := range s.Tables {
		t := extract.Table{Caption: short(table.Caption), Header: cellsForPeople(table.Header)}
		for _, row := range table.Rows {
			if !speaksToMachines(strings.Join(row, " ")) {
				t.Rows = append(t.Rows, cellsForPeople(row))
			}
		}
		out.Tables = append(out.Tables, t)
	}
	return out
}

func cellsForPeople(cells []string) []string {
	out := make([]string, len(cells))
	for i, cell := range cells {
		out[i] = short(cell)
	}
	return out
}

// itemForPeople recurses as deep as extract allows items to nest.
func itemForPeople(item *extract.Item) *extract.Item {
	out := &extract.Item{Types: item.Types, ID: item.ID, Properties: map[string][]any{}}
	for name, values := range item.Properties {
		if speaksToMachines(name) {
			continue
		}
		for _, value := range values {
			switch v := value.(type) {
			case *extract.Item:
				out.Properties[name] = append(out.Properties[name], itemForPeople(v))
			case string:
				if kept := forPeople(v); strings.TrimSpace(kept) != "" {
					out.Properties[name] = append(out.Properties[name], kept)
				}
			default:
				out.Properties[name] = append(out.Properties[name], v)
			}
		}
	}
	return out
}

// valueForPeople recurses as deep as jsonschema.Parse allows values to nest.
func valueForPeople(value any) any {
	switch v := value.(type) {
	case string:
		return forPeople(v)
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			out = append(out, valueForPeople(item))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			if !speaksToMachines(name) {
				out[name] = valueForPeople(member)
			}
		}
		return out
	case json.Number, bool, nil:
	}
	return value
}
