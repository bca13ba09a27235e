package agent_test

import (
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/backend/answers/agent"
	"github.com/turnpike-edge/turnpike/backend/answers/ask"
	"github.com/turnpike-edge/turnpike/backend/llm"
	"github.com/turnpike-edge/turnpike/backend/llm/llmdouble"
)

// inventionFormat has fields whose names imply a unit, a format or a choice.
const inventionFormat = `{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"},"sold":{"type":"integer"},"weight_kg":{"type":"number"},
	"delivery_hours":{"type":"number"},"since":{"type":"string","format":"date"},"mail":{"type":"string","format":"email"},"site":{"type":"string","format":"uri"},
	"state":{"type":"string","enum":["new","used"]},"tags":{"type":"array","items":{"type":"string"}}}}`

func TestInventedValuesAreRefused(t *testing.T) {
	t.Parallel()
	const (
		sentence = "The Harbour Lamp costs 12.50 EUR and weighs 2,345 g."
		dated    = "It has been made since 4 March 2019 and is not used."
		contact  = "Write to info@lamp.example or see https://lamp.example/shop today."
	)
	page := strings.Replace(lampPage, "</main>", "<p>"+dated+"</p><p>"+contact+"</p></main>", 1)
	for _, tc := range []struct {
		name, field string
		value       any
		url, quote  string
	}{
		{"a wrong number", "/price", 13.5, "lamp", sentence},
		{"a digit more", "/price", 112.5, "lamp", sentence},
		{"a shifted point", "/price", 125.0, "lamp", sentence},
		{"a rounded number", "/price", 12, "lamp", sentence},
		{"a sum", "/price", 32.4, "lamp", "The Harbour Lamp costs 12.50 EUR"},
		{"a negative number", "/price", -12.5, "lamp", sentence},
		{"a part of a longer number", "/sold", 11, "lamp", "It was sold 112 times."},
		{"a part of a grouped number", "/sold", 345, "lamp", sentence},
		{"a quote that cuts a number", "/sold", 345, "lamp", "345 g"},
		{"a quote that cuts a decimal", "/sold", 12, "lamp", "costs 12"},
		{"another unit", "/weight_kg", 2345, "lamp", sentence},
		{"another unit of time", "/delivery_hours", 4, "lamp", "Delivery is 4 days."},
		{"another entity", "/name", "Pier Lantern", "lamp", "The Pier Lamp costs 19.90 EUR."},
		{"another entity's number", "/price", 19.9, "lamp", sentence},
		{"a fabricated quote", "/price", 10, "lamp", "The Harbour Lamp now costs 10 EUR"},
		{"a quote from another page", "/price", 3.75, "lamp", "Spare parts cost 3.75 EUR each."},
		{"a near quote", "/price", 12.5, "lamp", "The Harbour Lamp is 12.50 EUR"},
		{"a quote of two places", "/price", 12.5, "lamp", "The Harbour Lamp costs 12.50 EUR. The Pier Lamp costs 19.90 EUR."},
		{"a quote with dots between", "/price", 12.5, "lamp", "The Harbour Lamp … 12.50 EUR"},
		{"a quote that cuts words", "/name", "arbour Lam", "lamp", "arbour Lam"},
		{"no quote", "/price", 12.5, "lamp", ""},
		{"a quote without the value", "/price", 12.5, "lamp", "It was sold 112 times."},
		{"a page that is not open", "/price", 12.5, "about", sentence},
		{"a search's snippet", "/name", "A lamp for harbours", "lamp", "A lamp for harbours."},
		{"the task as a source", "/name", "ORDER-7731", "lamp", "Its order code is ORDER-7731."},
		{"a paraphrase", "/name", "Lamp of the harbour", "lamp", sentence},
		{"a translation", "/name", "Hafenlampe", "lamp", sentence},
		{"another date", "/since", "2019-04-03", "lamp", dated},
		{"another year", "/since", "2018-03-04", "lamp", dated},
		{"another address", "/mail", "sales@lamp.example", "lamp", contact},
		{"a part of an address", "/mail", "fo@lamp.example", "lamp", contact},
		{"another link", "/site", "https://lamp.example/", "lamp", contact},
		{"a link with more", "/site", "https://lamp.example/shop/x", "lamp", contact},
		{"a choice that is denied", "/state", "used", "lamp", dated},
		{"a choice that is not said", "/state", "new", "lamp", sentence},
		{"no choice", "/state", "refurbished", "lamp", sentence},
		{"a list of which one is invented", "/tags", []string{"brass", "indoor"}, "lamp", "It is tagged: brass, outdoor."},
		{"an invented entry", "/tags/0", "steel", "lamp", "It is tagged: brass, outdoor."},
		{"a place beyond all lists", "/tags/99999", "brass", "lamp", "It is tagged: brass, outdoor."},
		{"no such field", "/colour", "brass", "lamp", "It is tagged: brass, outdoor."},
		{"the wrong type", "/sold", true, "lamp", "It was sold 112 times."},
		{"an object", "/price", map[string]any{"a": 12.5}, "lamp", sentence},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			eachWire(t, func(t *testing.T, provider llm.Provider) {
				w := newWorld(t, map[string]string{"/lamp": page, "/parts": partsPage})
				format, err := ask.ParseFormat([]byte(inventionFormat))
				if err != nil {
					t.Fatal(err)
				}
				task := lampTask(t)
				task.Format = format
				// The model insists: call by call, and once more in its last reply.
				got := try(t, provider, llmdouble.Steps(
					turn(search("x")), turn(open(w.site.URL+"/lamp"), open(w.site.URL+"/parts")),
					turn(open(w.site.URL+"/parts")), turn(submit(claim{tc.field, tc.value, w.site.URL + "/" + tc.url, tc.quote})),
				), w, task, agent.Options{})
				want, err := ask.Compose(format, nil)
				if err != nil || got.err != nil || string(got.answer.JSON) != string(want.JSON) || len(got.answer.Citations) != 0 || got.instead.asked != 1 {
					t.Errorf("got %s, %v, want nothing of it, and that the other was asked", got.answer.JSON, got.err)
				}
			})
		})
	}
}
