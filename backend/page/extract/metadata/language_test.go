package metadata

import (
	"strings"
	"testing"

	"github.com/turnpike-edge/turnpike/clip"
)

// firstArticles are translations of article 1 of the Universal Declaration of Human Rights.
var firstArticles = map[string]string{
	"en": "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.",
	"de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
	"fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
	"es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.",
	"it": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
	"nl": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
	"pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
	"sv": "Alla människor är födda fria och lika i värde och rättigheter. De har utrustats med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.",
	"ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.",
	"el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.",
	"ja": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。",
	"zh": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
	"ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.",
}

func TestLanguageOf(t *testing.T) {
	t.Parallel()
	for want, article := range firstArticles {
		for times, name := range map[int]string{2: "short", 30: "long"} {
			if got := languageOf(strings.Repeat(article+" ", times)); got != want {
				t.Errorf("%s, %s: got %q", want, name, got)
			}
		}
	}
	names := strings.Repeat("Ilkley Otley Bingley Shipley 17 Kč Łódź Brno Gdańsk ", 40)
	for name, tt := range map[string]struct{ text, want string }{
		"too little":                {"All human beings are born free", ""},
		"English quoted in German":  {strings.Repeat(firstArticles["de"]+" ", 4) + "“The spirit of the age and of the rights of man”", "de"},
		"English after other words": {clip.Bytes(names, languageBytesMax) + strings.Repeat(firstArticles["en"]+" ", 10), "en"},
		"words of code":             {strings.Repeat("x = foo_bar(17, qux[3]); if !ok { return errBad } ", 40), ""},
	} {
		if got := languageOf(tt.text); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func BenchmarkLanguageOf(b *testing.B) {
	for _, language := range []string{"en", "de"} {
		b.Run(language, func(b *testing.B) {
			text := clip.Bytes(strings.Repeat(firstArticles[language]+" ", 40), languageBytesMax)
			b.ReportAllocs()
			for b.Loop() {
				languageOf(text)
			}
		})
	}
}
