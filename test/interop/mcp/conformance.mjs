// The scenarios of @modelcontextprotocol/conformance that need no tools of its own. The suite sends no key, so a proxy adds
// it. The scenario dns-rebinding-protection is for servers that need none: a page that rebinds its name has no key to send.
// It runs with Node 22.
import http from 'node:http'
import { check, key, run, url } from './check.mjs'

const target = new URL(url)
const proxy = http.createServer((request, response) => {
  const forward = http.request(target, { method: request.method, headers: { ...request.headers, host: target.host, authorization: `Bearer ${key}` } }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers)
    answer.pipe(response)
  })
  forward.on('error', () => response.destroy())
  request.pipe(forward)
})
await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
for (const scenario of ['server-initialize', 'ping', 'tools-list']) {
  const got = await run('conformance/dist/index.js', ['server', '--url', `http://127.0.0.1:${proxy.address().port}/mcp`, '--scenario', scenario])
  check(scenario, got.code === 0, got.said.slice(-1000))
}
proxy.close()
