package rules

import (
	"regexp"
	"strings"

	"github.com/turnpike-edge/turnpike/clip"
)

// currencyCodes are the ISO 4217 codes of currencies in use.
const currencyCodes = " AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY " +
	"COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK " +
	"JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN " +
	"NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL " +
	"THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG "

var currencyCode = regexp.MustCompile(`(?:^|[^A-Za-z])([A-Z]{3})(?:[^A-Za-z]|$)`)

// currencySigns are tried in order, since longer signs contain shorter ones. A bare $ counts as US dollar, a bare £ as
// pound sterling and a bare ¥ as yen, their most common meanings.
var currencySigns = []struct{ sign, code string }{
	{"R$", "BRL"},
	{"A$", "AUD"},
	{"AU$", "AUD"},
	{"C$", "CAD"},
	{"CA$", "CAD"},
	{"HK$", "HKD"},
	{"NZ$", "NZD"},
	{"S$", "SGD"},
	{"NT$", "TWD"},
	{"MX$", "MXN"},
	{"US$", "USD"},
	{"CN¥", "CNY"},
	{"€", "EUR"},
	{"£", "GBP"},
	{"¥", "JPY"},
	{"￥", "CNY"},
	{"元", "CNY"},
	{"円", "JPY"},
	{"₹", "INR"},
	{"₩", "KRW"},
	{"₽", "RUB"},
	{"₺", "TRY"},
	{"₴", "UAH"},
	{"₪", "ILS"},
	{"₫", "VND"},
	{"฿", "THB"},
	{"₦", "NGN"},
	{"₱", "PHP"},
	{"₸", "KZT"},
	{"zł", "PLN"},
	{"Kč", "CZK"},
	{"Ft", "HUF"},
	{"Fr.", "CHF"},
	{"SFr", "CHF"},
	{"лв", "BGN"},
	{"$", "USD"},
}

// currencyOf returns the ISO 4217 code of the currency that s names, or "".
func currencyOf(s string) string {
	for _, match := range currencyCode.FindAllStringSubmatch(clip.Bytes(s, labelledBytesMax), 20) {
		if strings.Contains(currencyCodes, " "+match[1]+" ") {
			return match[1]
		}
	}
	if code := strings.ToUpper(strings.TrimSpace(s)); len(code) == 3 && strings.Contains(currencyCodes, " "+code+" ") {
		return code
	}
	for _, c := range currencySigns {
		if strings.Contains(s, c.sign) {
			return c.code
		}
	}
	return ""
}
