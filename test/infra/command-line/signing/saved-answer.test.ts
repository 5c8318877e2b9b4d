import { expect } from 'chai'
import { readSavedAnswer } from '../../../../infra/command-line/signing/saved-answer.ts'

const read = (text: string) => readSavedAnswer(Buffer.from(text, 'latin1'), 'answer.http')
const faultOf = (text: string) => {
  try {
    read(text)
    return 'none'
  } catch (error) {
    const { code, message } = error as Readonly<{ code: string; message: string }>
    return `${code}: ${message}`
  }
}

describe('a saved answer', () => {
  it('has the status, the headers in small letters and the bytes of the body', () => {
    expect(
      read('HTTP/1.1 200 OK\r\nContent-Type:  application/json \r\nAge:\r\n\r\n{"a":"\xff\r\n\r\n"}'),
    ).to.deep.equal({
      status: 200,
      fields: [
        { name: 'content-type', value: 'application/json' },
        { name: 'age', value: '' },
      ],
      body: Buffer.from('{"a":"\xff\r\n\r\n"}', 'latin1'),
    })
  })

  for (const [what, text] of [
    ['of HTTP/2, which has no reason', 'HTTP/2 404 \r\nage: 1\r\n\r\n{}'],
    ['with lines of Unix', 'HTTP/1.1 404 Not Found\nage: 1\n\n{}'],
    [
      'after other responses',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 402 Payment Required\r\nage: 9\r\n\r\nHTTP/1.1 404 Not Found\r\nage: 1\r\n\r\n{}',
    ],
  ] as const)
    it(`may be one ${what}`, () => {
      expect(read(text)).to.deep.equal({ status: 404, fields: [{ name: 'age', value: '1' }], body: Buffer.from('{}') })
    })

  it('may have no body', () => {
    expect(read('HTTP/1.1 402 Payment Required\r\n\r\n').body).to.have.lengthOf(0)
  })

  for (const [fault, text] of [
    ['does not begin with a status line', '{"a":1}\r\n\r\n'],
    ['does not begin with a status line', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['has no empty line after the headers', 'HTTP/1.1 200 OK\r\nage: 1\r\n'],
    ['has no empty line after the headers', ''],
    ['has no empty line after the headers', `HTTP/1.1 200 OK\r\n${`a: ${'b'.repeat(1000)}\r\n`.repeat(70)}\r\n`],
    ['has a line among the headers that is no header', 'HTTP/1.1 200 OK\r\nno header\r\n\r\n'],
    ['has a line among the headers that is no header', 'HTTP/1.1 200 OK\r\na: b\r\n folded\r\n\r\n'],
    ['has more than 10 heads of responses', 'HTTP/1.1 200 OK\r\n\r\n'.repeat(11)],
  ] as const)
    it(`is refused if it ${fault}: ${JSON.stringify(text.slice(0, 40))}`, () => {
      expect(faultOf(text)).to.contain(`nothing_found: answer.http is no saved answer: it ${fault}`)
    })

  it('may have 10 heads', () => {
    expect(read('HTTP/1.1 200 OK\r\n\r\n'.repeat(10)).status).to.equal(200)
  })
})
