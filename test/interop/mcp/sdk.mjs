// @modelcontextprotocol/sdk, and the handshake of each older protocol version.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { check, key, requestInit, url, useTools } from './check.mjs'

const client = new Client({ name: 'interop', version: '1' })
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit })
await client.connect(transport)
check('the version', transport.protocolVersion === '2025-11-25', transport.protocolVersion)
check('the tools', (await client.listTools()).tools.length === 7)
await client.ping()
await useTools('2025-11-25', (name, args) => client.callTool({ name, arguments: args }))
await client.close()

for (const version of ['2024-11-05', '2025-03-26', '2025-06-18']) {
  const post = async (message, headers) => {
    const response = await fetch(url, {
      method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    })
    return { status: response.status, body: response.status === 202 ? {} : await response.json() }
  }
  const begun = await post({ id: 1, method: 'initialize', params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'old', version: '1' } } })
  check(`${version}: initialize`, begun.body.result?.protocolVersion === version, begun)
  const header = version === '2025-06-18' ? { 'MCP-Protocol-Version': version } : {}
  const told = await post({ method: 'notifications/initialized' }, header)
  check(`${version}: initialized`, told.status === 202, told)
  const list = await post({ id: 2, method: 'tools/list' }, header)
  check(`${version}: tools`, list.body.result?.tools.length === 7, list)
}
