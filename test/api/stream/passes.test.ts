import { expect } from 'chai'
import { createPasses } from '../../../api/stream/passes.ts'

const issuedAtMs = Date.UTC(2026, 9, 20, 12)
const expiresAtMs = issuedAtMs + 60_000

describe('a pass', () => {
  const passes = createPasses('a secret of the test')
  const tokenFor = (paymentId: string) => passes.tokenFor({ paymentId, issuedAtMs, expiresAtMs })

  it('is read back until the instant at which it expires', () => {
    const token = tokenFor('payment 1')
    const pass = passes.read(token, expiresAtMs - 1)
    expect(pass?.expiresAtMs).to.equal(expiresAtMs)
    expect(pass?.id).to.match(/^[\w-]{22}$/)
    expect(passes.read(token, expiresAtMs)).to.equal(null)
  })

  it('is the same one for the same payment, also of another process with the same secret', () => {
    const another = createPasses('a secret of the test')
    expect(another.tokenFor({ paymentId: 'payment 1', issuedAtMs, expiresAtMs })).to.equal(tokenFor('payment 1'))
    expect(another.read(tokenFor('payment 1'), issuedAtMs)).to.deep.equal(
      passes.read(tokenFor('payment 1'), issuedAtMs),
    )
  })

  it('is one of its own for each payment, and does not show which', () => {
    expect(tokenFor('payment 1')).not.to.equal(tokenFor('payment 2'))
    expect(passes.read(tokenFor('payment 1'), issuedAtMs)?.id).not.to.equal(
      passes.read(tokenFor('payment 2'), issuedAtMs)?.id,
    )
    expect(tokenFor('0xpayer:0xnonce')).not.to.include('nonce')
  })

  it('needs no escape in a URL', () => {
    const token = tokenFor('payment 1')
    expect(encodeURIComponent(token)).to.equal(token)
  })

  it('is nothing where one character was changed, one more time was claimed, or another secret signed', () => {
    const token = tokenFor('payment 1')
    for (let at = 0; at < token.length; at++) {
      const changed = token.slice(0, at) + (token[at] === 'x' ? 'y' : 'x') + token.slice(at + 1)
      // The last character contains only four bits of the signature. So a change of this character may have
      // no effect.
      if (at < token.length - 1) expect(passes.read(changed, issuedAtMs), `character ${at}`).to.equal(null)
    }
    const [version, id, issued, , signature] = token.split('.')
    const later = (expiresAtMs + 3_600_000).toString(36)
    expect(passes.read([version, id, issued, later, signature].join('.'), issuedAtMs)).to.equal(null)
    expect(createPasses('another secret').read(token, issuedAtMs)).to.equal(null)
    for (const other of ['', 'p1', `${token}x`, ` ${token}`, `${token}\n`]) expect(passes.read(other, 0)).to.equal(null)
  })
})
