// How many tokens the tools and their results take, by OpenAI's o200k.
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import http from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { check, requestInit, textOf, url, usageOf } from './check.mjs'

const encoder = new Tiktoken(o200k)
const tokens = (text) => encoder.encode(text, 'all').length
const client = new Client({ name: 'interop', version: '1' })
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))

const list = tokens(JSON.stringify((await client.listTools()).tools))
console.log(`tools/list: ${list} tokens`)
check('the list of tools takes at most 2,500 tokens', list <= 2500, list)

// A long page of each kind. Each is one that a page may well be, or the worst that could be.
const kinds = {
  english: (n) => `The ferry of ${n} o'clock leaves from quay ${n % 7}, if the weather allows it, and returns in the evening. `,
  links: (n) => `<a href="https://www.example.com/products/item-${n}/reviews?page=${n}&sort=newest#r${n * 7919}">Item ${n}</a> `,
  code: (n) => `for (let i${n} = 0; i${n} &lt; list.length; i${n}++) { out[i${n}] ??= f(list[i${n}], {a: ${n}}); } `,
  numbers: (n) => `${(n * 7919.37).toFixed(4)}; ${n * 104729} | `,
  hashes: (n) => `${(BigInt(n + 1) * 0x9e3779b97f4a7c15f39cc0605cedc834n).toString(16)} `,
  base64: (n) => `${Buffer.from(Array.from({ length: 60 }, (_, i) => (i * i * 31 + n * 97 + i * n) % 256)).toString('base64')} `,
  german: (n) => `Die Fähre fährt um ${n % 24} Uhr von der Landungsbrücke ab, sofern es die Wetterverhältnisse zulassen. `,
  russian: (n) => `Паром отправляется в ${n % 24} часов от причала, если позволяет погода, и возвращается вечером. `,
  greek: (n) => `Το πλοίο αναχωρεί στις ${n % 24} από την προβλήτα, αν το επιτρέψει ο καιρός. `,
  arabic: (n) => `تغادر العبارة في الساعة ${n % 24} من الرصيف إذا سمح الطقس بذلك وتعود في المساء. `,
  hebrew: (n) => `המעבורת יוצאת בשעה ${n % 24} מהרציף אם מזג האוויר מאפשר. `,
  hindi: (n) => `नौका ${n % 24} बजे घाट से चलती है, यदि मौसम अनुमति दे, और शाम को लौटती है। `,
  thai: (n) => `เรือข้ามฟากออกเวลา ${n % 24} นาฬิกาจากท่าเรือ หากสภาพอากาศเอื้ออำนวย `,
  chinese: (n) => `渡轮在${n % 24}点从码头出发，如果天气允许，傍晚返回。乘客应提前到达。`,
  japanese: (n) => `フェリーは天候が許せば${n % 24}時に桟橋を出発し、夕方に戻ります。お早めにお越しください。`,
  korean: (n) => `날씨가 허락하면 페리는 ${n % 24}시에 부두에서 출발하여 저녁에 돌아옵니다. `,
  tamil: (n) => `வானிலை அனுமதித்தால் படகு ${n % 24} மணிக்கு துறைமுகத்திலிருந்து புறப்படும். `,
  georgian: (n) => `ბორანი ${n % 24} საათზე გადის ნავსადგურიდან, თუ ამინდი ნებას დართავს. `,
  emoji: (n) => `${String.fromCodePoint(0x1f600 + (n % 64))}${String.fromCodePoint(0x1f300 + (n % 200))}👩‍👩‍👧‍👦🏳️‍🌈 `,
  symbols: (n) => `∀x∈ℝ: ⌈x⌉ = −⌊−x⌋ ⇔ ☃${n} ‖ ꙮ ᚠᛇᚻ `,
}
const server = http.createServer((request, response) => {
  const kind = new URL(request.url, 'http://site').pathname.slice(1)
  if (!kinds[kind]) return response.writeHead(404).end()
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
  response.write(`<!doctype html><title>${kind}</title><main><h1>${kind}</h1>`)
  for (let n = 0; n < 1500; n++) {
    if (n % 5 === 0) response.write('<p>')
    response.write(kinds[kind](n))
  }
  response.end('</main>')
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
for (const kind of Object.keys(kinds)) {
  const result = await client.callTool({ name: 'scrape', arguments: { url: `http://127.0.0.1:${server.address().port}/${kind}`, whole_page: true } })
  const taken = tokens(JSON.stringify(result))
  console.log(`${kind}: ${taken} tokens, ${textOf(result).length} characters`)
  check(`a scrape of ${kind} takes at most 8,000 tokens, and goes on`, !result.isError && taken <= 8000 && usageOf(result).cursor, [taken, textOf(result).slice(0, 200)])
}
server.close()
await client.close()
