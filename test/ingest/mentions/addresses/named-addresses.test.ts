import { expect } from 'chai'
import fc from 'fast-check'
import { toBase58 } from '../../../../infra/base58.ts'
import { addressIn } from '../../../../ingest/mentions/addresses/address-forms.ts'
import { type NamingContent, namedAddresses } from '../../../../ingest/mentions/addresses/named-addresses.ts'
import { wellKnownAddresses } from '../../../../ingest/mentions/addresses/well-known.ts'
import { buildContent, evmOf, linksTo, mintOf } from '../build-post.ts'
import { samplePosts } from '../chat-samples.ts'

const addressesOf = (content: Partial<NamingContent>) =>
  namedAddresses(buildContent(content)).map(({ address, form }) => (form === 'pool-id' ? `pool:${address}` : address))
const inText = (text: string) => addressesOf({ text })

const evm = '0x6e04259a93457d47ce20dafa50ec7a2ea49f5eb2'
const digits = evm.slice(2)
const mint = 'AJeaxsMfjc6hUDW6WTeDPVxQQiKnp6gdLTwr9uXwpump'
const poolId = `0x${'9f'.repeat(32)}`

describe('the addresses that a text names', () => {
  for (const { id, text, expect: expected, note } of samplePosts)
    it(`are those of the sample ${id}: ${note}`, () => {
      expect(inText(text)).to.deep.equal(expected)
    })

  const table: readonly Readonly<[string, string, readonly string[]]>[] = [
    ['0x and 40 digits', `ca ${evm}`, [evm]],
    ['capital digits and a capital X, in lower case', `0X${digits.toUpperCase()}`, [evm]],
    ['none of 39 digits', `0x${digits.slice(1)}`, []],
    ['none of 41 digits', `${evm}1`, []],
    ['none with a hex digit before it', `a${evm}`, []],
    ['one with another letter before it', `x:${evm}`, [evm]],
    ['64 digits, which are never cut', poolId, [`pool:${poolId}`]],
    ['none of 63 and of 65 digits', `${poolId.slice(0, -1)} | ${poolId}0`, []],
    ['none of bare digits without 0x', digits, []],
    ['a mint between marks', `👉(${mint})!`, [mint]],
    ['a mint beside letters of another alphabet', `адрес${mint}`, [mint]],
    ['a mint that does not end in pump', mintOf(3), [mintOf(3)]],
    ['none with a letter that base58 lacks', `${mint.slice(0, 20)}0${mint.slice(21)}`, []],
    ['none of 31 bytes', toBase58(Buffer.alloc(31, 200)), []],
    ['none of 33 bytes', toBase58(Buffer.alloc(33, 200)), []],
    [
      '32 bytes that begin with zeros',
      toBase58(Buffer.alloc(32, 200).fill(0, 0, 4)),
      [toBase58(Buffer.alloc(32, 200).fill(0, 0, 4))],
    ],
    ['no signature of 64 bytes', toBase58(Buffer.alloc(64, 200)), []],
    ['a mint that a line break parts', `${mint.slice(0, 30)}\n${mint.slice(30)}`, [mint]],
    ['a mint that a carriage return and a line break part', `${mint.slice(0, 30)}\r\n${mint.slice(30)}`, [mint]],
    ['none that two blanks part', `${mint.slice(0, 30)}  ${mint.slice(30)}`, []],
    ['none that two blanks in three part', `${mint.slice(0, 10)} ${mint.slice(10, 20)} ${mint.slice(20)}`, []],
    ['no join with a whole address', `${evm} ${mint} ${evm.slice(2, 12)}`, [evm, mint]],
    ['no join of prose', 'thisisjustsomewordwithoutany digitsatallinitreally', []],
    ['none whose join has 41 digits', `${evm.slice(0, 20)} ${evm.slice(20)}1`, []],
    ['a pool id that a blank parts', `${poolId.slice(0, 30)} ${poolId.slice(30)}`, [`pool:${poolId}`]],
    ['no well-known mints beside the called one', `${[...wellKnownAddresses].join(' ')}\n${mint}`, [mint]],
    ['no burn address and no contract that is built in', `0x${'0'.repeat(40)} 0x${'0'.repeat(39)}4`, []],
    ['no sysvar', 'SysvarC1ock11111111111111111111111111111111', []],
    ['each once, in the order of the text', `${mint} ${evm} ${mint}`, [mint, evm]],
    ['the mint of a link that stands in the text', `look: https://pump.fun/coin/${mint}, now`, [mint]],
    ['the mint of a link without its scheme', `(dexscreener.com/solana/${mint})`, [mint]],
    ['the mint of a link in Markdown', `[chart](https://gmgn.ai/sol/token/${mint})`, [mint]],
    ['no wallet of a link that stands in the text', `dev https://solscan.io/account/${mint}`, []],
    ['invisible characters inside', [...mint].join('\u200b'), [mint]],
    [
      'full-width digits',
      `0x${[...digits].map((digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)).join('')}`,
      [evm],
    ],
  ]
  for (const [name, text, expected] of table)
    it(`are ${name}`, () => {
      expect(inText(text)).to.deep.equal(expected)
    })

  it('are found whatever invisible characters stand in them', () => {
    const invisible = fc.constantFrom('\u200b', '\u200e', '\u200f', '\u2060', '\ufeff', '\u00ad')
    const places = fc.array(fc.tuple(fc.nat(mint.length), invisible), { maxLength: 20 })
    fc.assert(
      fc.property(places, (inserted) => {
        const letters = [...mint]
        for (const [at, character] of inserted) letters.splice(at, 0, character)
        expect(inText(`ca ${letters.join('')} go`)).to.deep.equal([mint])
      }),
    )
  })
})

describe('the well-known addresses', () => {
  it('have the form of addresses, so that each is compared with some', () => {
    for (const address of wellKnownAddresses) {
      const isEvm = /^0x[0-9a-f]{40}$/.test(address)
      expect(isEvm || (address.length >= 32 && addressIn(`${address}`) === null), address).to.equal(true)
    }
  })
})

describe('the addresses that a post names', () => {
  const named = (content: Partial<NamingContent>) => namedAddresses(buildContent(content))

  it('come from entities before buttons before the text', () => {
    const found = named({
      text: `${mintOf(1)} and ${mintOf(2)}`,
      entities: [{ offset: 0, length: mintOf(1).length, url: null }, ...linksTo(`https://pump.fun/${mintOf(3)}`)],
      buttons: [
        { text: 'chart', url: `https://gmgn.ai/sol/token/${mintOf(4)}`, data: null },
        { text: 'refresh', url: null, data: `refr:1735659838:${mintOf(5)}:1:0` },
        { text: 'close', url: null, data: null },
      ],
    })
    expect(found.map(({ address, source }) => [address, source])).to.deep.equal([
      [mintOf(3), 'entity'],
      [mintOf(1), 'entity'],
      [mintOf(4), 'button'],
      [mintOf(5), 'button'],
      [mintOf(2), 'text'],
    ])
  })

  it('are marked by the entities over them, though invisible characters move the places', () => {
    const text = `\u200e\u200e${mintOf(1)} ${mintOf(2)}`
    const entities = [{ offset: 3 + mintOf(1).length, length: mintOf(2).length, url: null }]
    expect(named({ text, entities }).map(({ address, source }) => [address, source])).to.deep.equal([
      [mintOf(2), 'entity'],
      [mintOf(1), 'text'],
    ])
  })

  it('are counted over all places', () => {
    const found = named({
      text: `${mintOf(1)} ${mintOf(2)} ${mintOf(1)}`,
      entities: linksTo(`https://pump.fun/${mintOf(1)}`),
    })
    expect(found.map(({ address, count }) => [address, count])).to.deep.equal([
      [mintOf(1), 3],
      [mintOf(2), 1],
    ])
  })

  it('are at most 256, and a place beyond still counts for one of them', () => {
    const many = Array.from({ length: 300 }, (_, name) => evmOf(name))
    const found = named({ text: [...many, evmOf(0)].join('\n') })
    expect(found).to.have.length(256)
    expect(found[0]).to.include({ address: evmOf(0), count: 2 })
  })

  it('are those within the first 16,384 units of a text', () => {
    expect(inText(`${' '.repeat(16_384 - evm.length)}${evm}`)).to.deep.equal([evm])
    expect(inText(`${' '.repeat(16_384)}${evm}`)).to.deep.equal([])
  })
})
