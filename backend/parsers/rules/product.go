package rules

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/turnpike-edge/turnpike/backend/page/extract"
)

const (
	offersMax   = 500
	variantsMax = 500
	imagesMax   = 100
)

// productTypes are the schema.org types of products, in lower case.
var productTypes = []string{"product", "productgroup", "individualproduct", "productmodel", "someproducts", "vehicle", "car", "book"}

// product collects the page's data about one product. The first value found counts.
type product struct {
	run    *run
	fields map[string]any
	offers []any
	item   *extract.Item
}

// productFields are the fields with one value or null.
var productFields = []string{
	"name", "brand", "sku", "mpn", "gtin", "category", "price", "price_min", "price_max", "currency", "availability", "condition",
	"rating", "description",
}

func parseProduct(r *run) (map[string]any, string, error) {
	p := &product{run: r, fields: map[string]any{"url": r.source.URL, "images": []any{}, "variants": []any{}}}
	for _, name := range productFields {
		p.fields[name] = nil
	}
	if err := p.structured(); err != nil {
		return nil, "", err
	}
	graphed, err := p.graph()
	if err != nil {
		return nil, "", err
	}
	if p.item == nil && !graphed && r.document.Type != "product" {
		return nil, "no product was found: the page has none in its structured data or OpenGraph tags, and does not look like a product page", nil
	}
	if err := p.visible(); err != nil {
		return nil, "", err
	}
	if p.fields["name"] == nil {
		p.set("name", textOrNil(r.document.Metadata.Title))
	}
	p.set("description", textOrNil(r.document.Metadata.Description))
	if p.fields["name"] == nil || (p.item == nil && p.fields["price"] == nil) {
		return nil, "no product was found: the page shows no name with a price", nil
	}
	p.fields["offers"] = listOf(p.offers)
	return p.fields, "", nil
}

func (p *product) set(name string, value any) {
	if p.fields[name] == nil && !isEmpty(value) {
		p.fields[name] = value
	}
}

// structured reads the product in the page's structured data: of several, the one with most data, since pages mention
// others in passing.
func (p *product) structured() error {
	for _, list := range [][]*extract.Item{p.run.structured.JSONLD, p.run.structured.Microdata, p.run.structured.RDFa} {
		items, err := p.run.items(list, "")
		if err != nil {
			return err
		}
		var best *extract.Item
		for _, item := range items {
			if !isProduct(item) || textOf(item, "name") == "" {
				continue
			}
			if best == nil || worth(item) > worth(best) {
				best = item
			}
		}
		if best == nil {
			continue
		}
		if p.item == nil {
			p.item = best
		}
		if err := p.read(best); err != nil {
			return err
		}
	}
	return nil
}

func isProduct(item *extract.Item) bool {
	return slices.ContainsFunc(item.Types, func(t string) bool { return slices.Contains(productTypes, strings.ToLower(bareType(t))) })
}

// worth is how much data an item has about a product for sale.
func worth(item *extract.Item) int {
	n := 0
	for name, weight := range map[string]int{"hasVariant": 100, "offers": 10} { // prefers a group to its variants
		if len(item.Properties[name]) > 0 {
			n += weight
		}
	}
	for _, name := range []string{"sku", "gtin13", "gtin", "mpn", "brand", "image", "description", "aggregateRating"} {
		if len(item.Properties[name]) > 0 {
			n++
		}
	}
	return n
}

func (p *product) read(item *extract.Item) error {
	p.set("name", textOrNil(fold(textOf(item, "name"))))
	p.set("brand", textOrNil(fold(textOf(item, "brand", "manufacturer"))))
	p.set("sku", textOrNil(textOf(item, "sku", "productID")))
	p.set("mpn", textOrNil(textOf(item, "mpn")))
	p.set("gtin", gtinOf(item))
	p.set("category", textOrNil(fold(textOf(item, "category"))))
	p.set("description", textOrNil(fold(plainOf(textOf(item, "description")))))
	p.set("condition", conditionOf(textOf(item, "itemCondition")))
	p.set("rating", ratingOf(item))
	p.images(item)
	offers := p.offersOf(item)
	for _, variant := range itemsOf(item, "hasVariant") {
		if variants, ok := p.fields["variants"].([]any); ok && len(variants) < variantsMax {
			p.fields["variants"] = append(variants, p.variant(variant))
			if len(offers) == 0 || len(p.offers) > 0 {
				p.offers = append(p.offers, p.offersOf(variant)...)
			}
		}
	}
	if len(p.offers) == 0 {
		p.offers = offers
	}
	if len(p.offers) > offersMax {
		p.offers = p.offers[:offersMax]
	}
	p.fromOffers(item)
	return p.run.budget.step(len(item.Properties))
}

// fromOffers summarizes the offers.
func (p *product) fromOffers(item *extract.Item) {
	var low, high json.Number
	for _, one := range p.offers {
		offer, _ := one.(map[string]any)
		if price, ok := offer["price"].(json.Number); ok {
			if low == "" || lessNumber(price, low) {
				low = price
			}
			if high == "" || lessNumber(high, price) {
				high = price
			}
		}
		for _, name := range []string{"currency", "availability", "condition"} {
			p.set(name, offer[name])
		}
	}
	for _, aggregate := range itemsOf(item, "offers") {
		if n, ok := machineNumber(textOf(aggregate, "lowPrice")); ok && (low == "" || lessNumber(n, low)) {
			low = n
		}
		if n, ok := machineNumber(textOf(aggregate, "highPrice")); ok && (high == "" || lessNumber(high, n)) {
			high = n
		}
		p.set("currency", currencyCodeOf(textOf(aggregate, "priceCurrency")))
	}
	if low != "" {
		p.set("price", low)
		p.set("price_min", low)
	}
	if high != "" {
		p.set("price_max", high)
	}
}

// offersOf are an item's offers; those within an AggregateOffer count separately.
func (p *product) offersOf(item *extract.Item) []any {
	var offers []any
	queue := itemsOf(item, "offers")
	for len(queue) > 0 && len(offers) < offersMax {
		one := queue[0]
		queue = queue[1:]
		if inner := itemsOf(one, "offers"); len(inner) > 0 {
			queue = append(queue, inner...)
			continue
		}
		if offer := p.offer(one); offer["price"] != nil || offer["availability"] != nil {
			offers = append(offers, offer)
		}
	}
	return offers
}

func (p *product) offer(item *extract.Item) map[string]any {
	price, currency := textOf(item, "price", "lowPrice"), textOf(item, "priceCurrency")
	for _, specification := range itemsOf(item, "priceSpecification") {
		if price == "" {
			price = textOf(specification, "price", "minPrice")
		}
		if currency == "" {
			currency = textOf(specification, "priceCurrency")
		}
	}
	offer := map[string]any{
		"price": nil, "currency": currencyCodeOf(currency), "availability": availabilityOf(textOf(item, "availability")),
		"condition": conditionOf(textOf(item, "itemCondition")), "seller": textOrNil(fold(textOf(item, "seller", "offeredBy"))),
		"url": nil, "valid_until": nil,
	}
	if n, ok := machineNumber(price); ok {
		offer["price"] = n
		if offer["currency"] == nil {
			offer["currency"] = currencyCodeOf(price)
		}
	}
	if u, ok := p.run.absolute(textOf(item, "url")); ok {
		offer["url"] = u
	}
	if d, ok := parseDate(textOf(item, "priceValidUntil", "validThrough"), dateOptions{}); ok {
		offer["valid_until"] = d
	}
	return offer
}

func (p *product) variant(item *extract.Item) map[string]any {
	v := map[string]any{
		"name": textOrNil(fold(textOf(item, "name"))), "sku": textOrNil(textOf(item, "sku", "productID")), "gtin": gtinOf(item),
		"price": nil, "currency": nil, "availability": nil, "url": nil, "image": nil,
	}
	if offers := p.offersOf(item); len(offers) > 0 {
		if offer, ok := offers[0].(map[string]any); ok {
			v["price"], v["currency"], v["availability"], v["url"] = offer["price"], offer["currency"], offer["availability"], offer["url"]
		}
	}
	if u, ok := p.run.absolute(textOf(item, "url")); ok {
		v["url"] = u
	}
	if u, ok := p.run.absolute(textOf(item, "image")); ok {
		v["image"] = u
	}
	own := map[string]any{}
	for _, name := range []string{"color", "size", "material", "pattern"} {
		if value := fold(textOf(item, name)); value != "" {
			own[name] = bareType(value)
		}
	}
	v["properties"] = own
	return v
}

func (p *product) images(item *extract.Item) {
	for _, name := range []string{"image", "images"} {
		for _, value := range item.Properties[name] {
			ref, _ := value.(string)
			if inner, ok := value.(*extract.Item); ok {
				ref = textOf(inner, "url", "contentUrl", "@id")
			}
			p.image(ref)
		}
	}
}

func (p *product) image(ref string) {
	u, ok := p.run.absolute(ref)
	list, _ := p.fields["images"].([]any)
	if ok && len(list) < imagesMax && !slices.Contains(list, any(u)) {
		p.fields["images"] = append(list, u)
	}
}

// graph reads OpenGraph product tags, and reports whether they say that the page is about a product.
func (p *product) graph() (bool, error) {
	said := func(names ...string) string {
		for _, name := range names {
			found, err := metaSource(name).find(p.run, nil, false)
			if err == nil && len(found) > 0 {
				if text, ok := found[0].(string); ok {
					return fold(text)
				}
			}
		}
		return ""
	}
	amount := said("product:price:amount", "product:sale_price:amount", "og:price:amount")
	kind := strings.ToLower(said("og:type"))
	if amount == "" && !strings.HasPrefix(kind, "product") && !strings.HasSuffix(kind, "product") {
		return false, p.run.budget.step(1)
	}
	p.set("name", textOrNil(said("og:title")))
	if n, ok := parseNumber(amount, &p.run.numbers); ok && p.fields["price"] == nil {
		p.fields["price"], p.fields["price_min"], p.fields["price_max"] = n, n, n
		p.set("currency", currencyCodeOf(said("product:price:currency", "product:sale_price:currency", "og:price:currency")))
	}
	p.set("brand", textOrNil(said("product:brand", "og:brand")))
	p.set("sku", textOrNil(said("product:retailer_item_id")))
	p.set("category", textOrNil(said("product:category")))
	p.set("availability", availabilityOf(said("product:availability", "og:availability")))
	p.set("condition", conditionOf(said("product:condition")))
	p.set("description", textOrNil(said("og:description")))
	if list, _ := p.fields["images"].([]any); len(list) == 0 {
		p.image(said("og:image", "og:image:url", "og:image:secure_url"))
	}
	return true, p.run.budget.step(1)
}
