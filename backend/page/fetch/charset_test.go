package fetch

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html/charset"

	"github.com/turnpike-edge/turnpike/backend/page/fetch/sniff"
)

// sentences are in languages that used to have encodings of their own.
var sentences = map[string]string{
	"russian": "Сегодня утром в городе прошёл сильный дождь, и многие улицы оказались под водой. Жители просят власти починить старые трубы.",
	"greek":   "Σήμερα το πρωί έβρεξε πολύ στην πόλη και πολλοί δρόμοι πλημμύρισαν. Οι κάτοικοι ζητούν από τον δήμο να επισκευάσει τους σωλήνες.",
	"hebrew":  "הבוקר ירד גשם חזק בעיר ורחובות רבים הוצפו במים. התושבים מבקשים מהעירייה לתקן את הצינורות הישנים בהקדם.",
	"arabic":  "هطلت أمطار غزيرة صباح اليوم في المدينة وغمرت المياه شوارع كثيرة. ويطالب السكان البلدية بإصلاح الأنابيب القديمة.",
	"thai":    "เช้าวันนี้ฝนตกหนักในเมืองและถนนหลายสายถูกน้ำท่วม ชาวบ้านขอให้เทศบาลซ่อมท่อเก่าโดยเร็ว",
	"polish":  "Dziś rano w mieście padał ulewny deszcz i wiele ulic znalazło się pod wodą. Mieszkańcy proszą władze, żeby naprawiły stare rury.",
	"czech":   "Dnes ráno ve městě silně pršelo a řada ulic se ocitla pod vodou. Obyvatelé žádají úřady, aby opravily staré potrubí.",
	"turkish": "Bu sabah şehirde şiddetli yağmur yağdı ve birçok sokak sular altında kaldı. Halk eski boruların onarılmasını istiyor.",
	"french":  "Ce matin, il a beaucoup plu en ville et de nombreuses rues ont été inondées. À côté du marché, l’eau a même pénétré dans les caves.",
	"german":  "Heute früh hat es in der Stadt stark geregnet, und viele Straßen standen unter Wasser. Die Bürger hätten gern schönere Röhren.",
	"spanish": "Esta mañana llovió mucho en la ciudad y varias calles quedaron inundadas. ¿Quién arreglará las cañerías más viejas?",
	"swedish": "I morse regnade det mycket i staden och många gator stod under vatten. Invånarna ber kommunen att laga de gamla rören på måndag.",
	"japanese": "今朝、市内では激しい雨が降り、多くの道路が水につかりました。住民は古い水道管を直すように市に求めています。" +
		"ニュースによると、被害はこれからも増えるということです。",
	"korean":      "오늘 아침 시내에 많은 비가 내려 여러 도로가 물에 잠겼습니다. 주민들은 오래된 배관을 고쳐 달라고 시에 요구하고 있습니다.",
	"simplified":  "今天早上市里下了大雨，很多街道都被水淹了。居民们要求政府尽快修理那些老旧的水管，他们说这是多年来的问题，不能再等了。",
	"traditional": "今天早上市裡下了大雨，很多街道都被水淹了。居民們要求政府盡快修理那些老舊的水管，他們說這是多年來的問題，不能再等了。",
}

func TestSniffCharset(t *testing.T) {
	t.Parallel()
	tests := []struct{ language, charset string }{
		{"russian", "windows-1251"},
		{"russian", "koi8-r"},
		{"russian", "ibm866"},
		{"russian", "iso-8859-5"},
		{"greek", "windows-1253"},
		{"hebrew", "windows-1255"},
		{"arabic", "windows-1256"},
		{"thai", "windows-874"},
		{"polish", "windows-1250"},
		{"czech", "windows-1250"},
		{"turkish", "windows-1254"},
		{"french", "windows-1252"},
		{"german", "windows-1252"},
		{"spanish", "windows-1252"},
		{"swedish", "windows-1252"},
		{"japanese", "shift_jis"},
		{"japanese", "euc-jp"},
		{"korean", "euc-kr"},
		{"simplified", "gbk"},
		{"traditional", "big5"},
	}
	for _, tt := range tests {
		t.Run(tt.language+" in "+tt.charset, func(t *testing.T) {
			t.Parallel()
			encoding, _ := charset.Lookup(tt.charset)
			page := "<!doctype html><title>x</title><script>" + strings.Repeat("var a = 1; ", 200) + "</script><p>" + sentences[tt.language]
			body := mustEncode(t, encoding, page)
			for _, mediaType := range []string{"text/html", "text/plain"} {
				text, name, _ := toUTF8([]byte(body), mediaType, "", mebibyte)
				if name != tt.charset || string(text) != page {
					t.Errorf("%s: got %s, want %s", mediaType, name, tt.charset)
				}
			}
		})
	}
}

// A document's own declaration has priority over sniffing, and a few broken bytes do not make UTF-8 another encoding.
func TestSniffCharsetIsTheLastResort(t *testing.T) {
	t.Parallel()
	cyrillic, _ := charset.Lookup("windows-1251")
	russian := mustEncode(t, cyrillic, sentences["russian"])
	tests := []struct{ name, body, want string }{
		{"says iso-8859-1", "<meta charset=iso-8859-1>" + russian, "windows-1252"},
		{"says latin1 the old way", `<meta http-equiv=Content-Type content="text/html; charset=latin1">` + russian, "windows-1252"},
		{"says nothing that is known", "<meta charset=klingon>" + russian, "windows-1251"},
		{"broken UTF-8", sentences["russian"] + "\xd0" + sentences["greek"], "utf-8"},
		{"one letter", "caf\xe9", "windows-1252"},
		{"noise", "\x80\x81\x8d\xff\xfe\xfd", "windows-1252"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, got, _ := toUTF8([]byte(tt.body), "text/html", "", mebibyte); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// BenchmarkSniffCharset is the cost of a page without a charset: a few milliseconds, whatever its length.
func BenchmarkSniffCharset(b *testing.B) {
	encoding, _ := charset.Lookup("gbk")
	body := bytes.Repeat([]byte(mustEncode(b, encoding, sentences["simplified"])), 1000)
	b.ReportAllocs()
	for b.Loop() {
		if got := sniff.Charset(body); got != "gbk" {
			b.Fatalf("got %s, want gbk", got)
		}
	}
}
