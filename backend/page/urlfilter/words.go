package urlfilter

import (
	"strings"
	"unicode"
)

// notFound are phrases for a missing page in a dozen languages, in lower case. They match whole words of a title or heading.
var notFound = []string{
	"404", "not found", "page not found", "page doesn't exist", "page does not exist", "page no longer exists", "no longer available", // English
	"seite nicht gefunden", "nicht gefunden", "seite existiert nicht", // German
	"page introuvable", "page non trouvée", "page n'existe pas", // French
	"página no encontrada", "no se encontró", "no se ha encontrado", "página no existe", // Spanish
	"página não encontrada", "não encontrada", "não encontrado", // Portuguese
	"pagina non trovata", "non trovata", "pagina non esiste", // Italian
	"pagina niet gevonden", "niet gevonden", // Dutch
	"nie znaleziono", "strona nie istnieje", // Polish
	"страница не найдена", "не найдено", "страницы не существует", // Russian
	"sayfa bulunamadı",                               // Turkish
	"sidan hittades inte", "sidan kunde inte hittas", // Swedish
	"ページが見つかりません", "お探しのページは", // Japanese
	"页面不存在", "找不到页面", "未找到页面", "页面未找到", // Chinese
	"페이지를 찾을 수 없습니다", // Korean
}

// titleBytesMax is the maximum length of a title that only says "not found"; a longer one is about the topic.
const titleBytesMax = 100

// NotFoundWords reports whether a page's title or first heading says that the page does not exist. Articles may say so,
// too: it is a reason to check, not a proof.
func NotFoundWords(title, heading string) bool { return saysNotFound(title) || saysNotFound(heading) }

func saysNotFound(text string) bool {
	if text == "" || len(text) > titleBytesMax {
		return false
	}
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	for _, phrase := range notFound {
		for from := 0; ; {
			at := strings.Index(text[from:], phrase)
			if at < 0 {
				break
			}
			start, end := from+at, from+at+len(phrase)
			if !continues(lastRune(text[:start]), phrase) && !continues(firstRune(text[end:]), phrase) {
				return true
			}
			from = end
		}
	}
	return false
}

// continues reports whether a character next to a phrase makes it part of a longer word, in scripts that separate words.
func continues(r rune, phrase string) bool {
	if r > 0x2e80 || firstRune(phrase) > 0x2e80 {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return ' '
}

func lastRune(s string) rune {
	last := ' '
	for _, r := range s {
		last = r
	}
	return last
}
