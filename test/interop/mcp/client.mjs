// @modelcontextprotocol/client, with the current protocol version: no handshake and no session.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { check, requestInit, url, useTools } from './check.mjs'

const version = '2026-07-28'
const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode: { pin: version } } })
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
check('the version', client.getNegotiatedProtocolVersion() === version, client.getNegotiatedProtocolVersion())
check('the tools', (await client.listTools()).tools.length === 7)
await useTools(version, (name, args) => client.callTool({ name, arguments: args }))
await client.close()

const auto = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode: 'auto' } })
await auto.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
check('the negotiated version', auto.getNegotiatedProtocolVersion() === version, auto.getNegotiatedProtocolVersion())
await auto.close()
