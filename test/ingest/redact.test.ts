import { expect } from 'chai'
import { createRedactor } from '../../ingest/redact.ts'

describe('a text about a node', () => {
  const redact = createRedactor([
    'https://node.example/v2/abcdef?api-key=query%20key&x=short',
    'wss://user-name:pass%2Fword@other.example/rpc/12345',
    'no URL',
  ])

  it('has the hosts of URLs instead of the URLs', () => {
    expect(redact('at https://node.example/v2/x?y=1, and "WSS://a.example:81/k"')).to.equal(
      'at node.example and "a.example:81"',
    )
    expect(redact('see http://b.example/<p> or ftp://c.example/d')).to.equal('see b.example<p> or ftp://c.example/d')
  })

  it('has no part of a configured URL that may be a key, in any form', () => {
    const secrets = ['abcdef', 'query key', 'user-name', 'pass%2Fword', 'pass/word']
    for (const secret of secrets) expect(redact(`1 ${secret} 2 ${secret}`)).to.equal('1 … 2 …')
  })

  it('keeps short parts, and texts of no URL', () => {
    for (const text of ['v2', 'rpc', '12345', 'short', 'no URL', 'node.example']) expect(redact(text)).to.equal(text)
  })
})
