package answers_test

import (
	"testing"

	"github.com/turnpike-edge/turnpike/backend/answers"
	learned "github.com/turnpike-edge/turnpike/backend/answers/reader"
)

// The answerer without a model reads what it is given, what the task names, and what is found.
func TestReaderAnswers(t *testing.T) {
	t.Parallel()
	model, err := learned.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, func(c *answers.Config) { c.Answerer = learned.New(model) })
	p.shelf["file_1"] = shelved{p.team, `{"name": "Elmsworth harbour", "berths": 24, "operator": "Elmsworth Port Authority"}`}
	p.web.pages["https://harbour.example/about"] = `<html><head><title>Elmsworth harbour</title></head><body><h1>Elmsworth harbour</h1>
		<table><tr><th>Telephone</th><td>+44 1632 960001</td></tr><tr><th>E-mail</th><td>office@harbour.example</td></tr></table></body></html>`
	for _, tt := range []struct {
		name string
		r    answers.Request
		want string
		from string
	}{
		{
			"a context file", answers.Request{
				Task: "How many berths has Elmsworth harbour?", Format: format(`{"berths":0,"operator":"","mascot":""}`), FileIDs: []string{"file_1"},
			}, `{"berths":24,"operator":"Elmsworth Port Authority","mascot":"NOT_FOUND"}`, "file:file_1",
		},
		{
			"a named page", answers.Request{
				Task: "What is the e-mail address of Elmsworth harbour? See https://harbour.example/about.", Format: format(`{"email":"E-mail address of the harbour office","mascot":""}`),
			}, `{"email":"office@harbour.example","mascot":"NOT_FOUND"}`, "https://harbour.example/about",
		},
	} {
		a := p.create(p.subscriber(), tt.r)
		if got := jsonOf(t, a); got != tt.want || len(a.Result.Sources) != 1 || a.Result.Sources[0] != tt.from {
			t.Errorf("%s: got %s of %q, want %s of %s", tt.name, got, a.Result.Sources, tt.want, tt.from)
		}
	}
}
