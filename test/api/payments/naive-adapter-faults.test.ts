/**
 * Tests mistakes that are typical when the usual x402 middleware is ported to Koa. Each case runs over HTTP
 * on every paid route. The facilitator fails in realistic ways. `elsewhere` lists the cases that other files
 * test.
 */
import { readFileSync } from 'node:fs'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader, decodePaymentSignatureHeader } from '@x402/core/http'
import { expect } from 'chai'
import { createLogger } from '../../../infra/telemetry.ts'
import type { Fault } from '../../support/payments/facilitator-double.ts'
import { sign, toHeader } from '../../support/payments/paid-service.ts'
import { bodyOf, burstsPath, edgeOfTests, pathOfEachRoute, rugCheckPath } from '../edge.ts'

describe('what a naive x402 adapter gets wrong', () => {
  const logged: string[] = []
  const logger = createLogger('test', 'info', { write: (line: string) => void logged.push(line) })
  const edge = edgeOfTests({ logger })

  const signFor = async (path = burstsPath) => {
    const asked = await edge.get(path)
    return toHeader(await sign(decodePaymentRequiredHeader(asked.headers.get('payment-required') ?? ''))).header
  }
  const send = (header: string, path = burstsPath) => edge.get(path, { headers: { 'PAYMENT-SIGNATURE': header } })
  const moved = async (act: () => Promise<unknown>): Promise<number> => {
    const before = edge.double.transfers.size
    await act()
    return edge.double.transfers.size - before
  }
  const settleFaults = async (...faults: Fault[]) => {
    edge.double.settleFaults.push(...faults)
    const header = await signFor()
    const answers: Response[] = []
    const transfers = await moved(async () => {
      for (let turn = 0; turn < 3; turn++) answers.push(await send(header))
    })
    const bodies = new Set(await Promise.all(answers.map((answer) => answer.text())))
    return { statuses: answers.map(({ status }) => status), bodies: bodies.size, transfers }
  }
  const threeTimesTheSame = { statuses: [200, 200, 200], bodies: 1, transfers: 1 }

  const cases: Readonly<Record<string, () => Promise<void>>> = {
    'an unpaid call gets a 402 that no cache keeps, with a header that proxies take': async () => {
      for (const path of pathOfEachRoute) {
        const response = await edge.get(path)
        expect([response.status, response.headers.get('cache-control')], path).to.deep.equal([402, 'private, no-store'])
        expect(response.headers.get('payment-required')?.length, path).to.be.within(400, 8_000)
      }
    },
    'a browser gets the same JSON, and no page': async () => {
      const response = await edge.get(burstsPath, { headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0' } })
      expect((await bodyOf(response)).code).to.equal('payment_required')
    },
    'a paid call moves the money once and has a receipt': async () => {
      const header = await signFor()
      const transfers = await moved(async () => {
        const response = await send(header)
        expect(response.status).to.equal(200)
        const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
        expect(receipt).to.include({ success: true, network: 'eip155:8453' })
      })
      expect(transfers).to.equal(1)
    },
    'an answer that fails costs nothing, and the same signature works afterwards': async () => {
      const header = await signFor()
      edge.state.failure = new TypeError('the tables are away')
      const transfers = await moved(async () => {
        const response = await send(header, `${burstsPath}?minutes=7`)
        expect([response.status, response.headers.get('payment-response')]).to.deep.equal([500, null])
      })
      expect(transfers).to.equal(0)
      edge.state.failure = null
      expect((await send(header, `${burstsPath}?minutes=7`)).status).to.equal(200)
    },
    'the same signature again gets the same answer': async () => {
      expect(await settleFaults()).to.deep.equal(threeTimesTheSame)
    },
    'four copies at once get one answer for one transfer, made once': async () => {
      const header = await signFor()
      const settles = edge.double.calls.settle
      const transfers = await moved(async () => {
        const answers = await Promise.all(Array.from({ length: 4 }, () => send(header)))
        expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
        expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).to.equal(1)
      })
      expect([transfers, edge.double.calls.settle - settles]).to.deep.equal([1, 1])
    },
    'a settlement that is pending and confirmed later gets its answer': async () => {
      expect(await settleFaults('pendingAfterBroadcast', 'pendingAfterBroadcast')).to.deep.equal(threeTimesTheSame)
    },
    'a settlement that times out after it was sent gets its answer': async () => {
      expect(await settleFaults('hangAfterBroadcast')).to.deep.equal(threeTimesTheSame)
    },
    'a settlement whose connection drops after it was sent gets its answer': async () => {
      expect(await settleFaults('dropAfterBroadcast')).to.deep.equal(threeTimesTheSame)
    },
    'a settlement that is answered with garbage after it was sent gets its answer': async () => {
      expect(await settleFaults('garbageAfterBroadcast')).to.deep.equal(threeTimesTheSame)
    },
    'a settlement that is refused after it was sent gets its answer': async () => {
      expect(await settleFaults('refuseAfterBroadcast')).to.deep.equal(threeTimesTheSame)
    },
    'a settlement that is confirmed twice gets one answer': async () => {
      expect(await settleFaults('dropAfterBroadcast', 'again')).to.deep.equal(threeTimesTheSame)
    },
    'a facilitator that is down, slow or talks nonsense while it verifies is a 503, and the same signature works later':
      async () => {
        for (const fault of ['drop', 'hang', 'garbage', 'status500', 'status503'] as const) {
          const header = await signFor()
          edge.double.verifyFaults.push(fault)
          const response = await send(header)
          const { code, error } = await bodyOf(response)
          expect([response.status, code], fault).to.deep.equal([503, 'payments_not_live'])
          expect(error, fault).to.contain('This request was not charged')
          expect(response.headers.get('retry-after'), fault).to.match(/^[1-9]\d*$/)
          await edge.gate.refresh()
          expect((await send(header)).status, fault).to.equal(200)
        }
      },
    'HEAD and OPTIONS run nothing and move nothing on any route, paid or not': async () => {
      const header = await signFor()
      const transfers = await moved(async () => {
        for (const path of pathOfEachRoute)
          for (const method of ['HEAD', 'OPTIONS']) {
            edge.state.asked.length = 0
            const response = await edge.get(path, { method, headers: { 'PAYMENT-SIGNATURE': header } })
            expect(response.status, `${method} ${path}`).to.equal(method === 'HEAD' ? 402 : 405)
          }
      })
      expect(transfers).to.equal(0)
    },
    'no other spelling of a path is answered without money': async () => {
      const transfers = await moved(async () => {
        for (const path of pathOfEachRoute)
          for (const spelled of spellings(path)) {
            const response = await edge.get(spelled)
            expect(response.status, spelled).to.be.oneOf([400, 402, 404])
          }
      })
      expect(transfers).to.equal(0)
    },
    'a signature made for one route buys one thing, whichever comes first': async () => {
      const header = await signFor(burstsPath)
      const transfers = await moved(async () => {
        expect((await send(header)).status).to.equal(200)
        const other = await send(header, rugCheckPath)
        expect([other.status, (await bodyOf(other)).code]).to.deep.equal([402, 'payment_already_used'])
      })
      expect(transfers).to.equal(1)
    },
    'headers that are no payment get a 402 in plain words, and write nothing into the log': async () => {
      const signed = decodePaymentSignatureHeader(await signFor())
      logged.length = 0
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
      const malformed = [
        'x',
        '%%%',
        encode(null),
        encode([]),
        encode({ ...signed, payload: undefined }),
        'A'.repeat(11_000),
      ]
      for (const header of malformed) {
        const response = await send(header)
        const { code, error, docs } = await bodyOf(response)
        expect([response.status, code], header.slice(0, 20)).to.deep.equal([402, 'payment_invalid'])
        expect(error).to.match(/^The payment was refused: [a-z_]+\. Nothing was charged\./)
        expect(docs).to.match(/^https:/)
      }
      expect(logged).to.deep.equal([])
    },
    'a refused settlement has both headers, a code of a word, and says nothing that is not so': async () => {
      edge.double.settleFaults.push('refuse')
      const response = await send(await signFor())
      const { code, error } = await bodyOf(response)
      expect([response.status, code]).to.deep.equal([402, 'payment_invalid'])
      expect(error).not.to.match(/not charged|nothing was charged/i)
      expect(response.headers.get('payment-required')).to.be.a('string')
      const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
      expect(receipt).not.to.have.property('errorMessage')
      expect(receipt).to.include({ success: false, errorReason: 'invalid_exact_evm_insufficient_balance' })
    },
    'every refusal can be read by a page of another origin': async () => {
      const header = await signFor()
      edge.double.verifyFaults.push('drop')
      const refused = [
        await edge.get(burstsPath),
        await edge.get(`${burstsPath}?minutes=0`),
        await edge.get('/v1/nothing'),
        await send('x'),
        await send(header),
      ]
      for (const response of refused) {
        expect(response.headers.get('access-control-allow-origin'), response.url).to.equal('*')
        expect(response.headers.get('access-control-expose-headers'), response.url).to.match(/payment-required/i)
        expect(await bodyOf(response), response.url).to.include.keys('error', 'code', 'docs')
      }
    },
    'an authorization that is about to end is refused, or its answer is had': async () => {
      for (const leftSec of [0, 1, 3]) {
        const { header, transfers } = await withLittleTime(leftSec)
        const later = await send(header)
        expect(later.status, `${leftSec} s left`).to.equal(transfers === 0 ? 402 : 200)
      }
    },
    'calls while the facilitator is asked what it supports are served': async () => {
      const refreshed = Promise.all(Array.from({ length: 5 }, () => edge.gate.refresh()))
      const answers = await Promise.all(Array.from({ length: 10 }, () => edge.get(burstsPath)))
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([402]))
      await refreshed
    },
  }
  const withLittleTime = async (leftSec: number) => {
    const asked = await edge.get(burstsPath)
    const required = decodePaymentRequiredHeader(asked.headers.get('payment-required') ?? '')
    const accepts = required.accepts.map((each) => ({ ...each, maxTimeoutSeconds: leftSec }))
    const signed = await sign({ ...required, accepts })
    const header = toHeader({ ...signed, accepted: required.accepts[0] as (typeof accepts)[number] }).header
    return { header, transfers: await moved(() => send(header)) }
  }

  for (const [name, check] of Object.entries(cases)) it(name, check)

  /** The cases that other files test. Each entry has the case, the test file, and a part of the test's name. */
  const elsewhere: readonly (readonly [string, string, string])[] = [
    ['a bad parameter or an unknown id, unpaid or not', 'api/edge/app.test.ts', 'before whatever comes behind it'],
    [
      'a client that leaves while its answer is made',
      'api/x402-koa/answer-paid.test.ts',
      'does not charge a client that hung up',
    ],
    ['dumps of the facilitator in a receipt', 'api/x402-koa/answer-paid.test.ts', 'no dump of the facilitator'],
    ['a payment header over 12 KB', 'api/x402-koa/answer-paid.test.ts', 'refuses a header over 12 KB'],
    [
      'headers over what Node takes',
      'api/edge/connections.test.ts',
      'with a head of more than 32 KB are refused unheard',
    ],
    ['the facilitator is down at the start', 'api/payments/payment-gate.test.ts', 'was down at the start'],
    [
      'twelve settlements at once by one facilitator',
      'api/payments/facilitator/settlement.int.test.ts',
      'settles twelve payments at once',
    ],
    ['other bytes of the same payment', 'api/payments/payment-gate.test.ts', 'in another spelling of the same bytes'],
    ['copies, crashes and faults in any order, both chains', 'proofs/payments/payments.test.ts', 'across restarts'],
    ['the service is killed in the middle', 'proofs/payments/kills/kills.int.test.ts', 'moves the money once'],
  ]
  for (const [name, file, words] of elsewhere)
    it(`(${name}: ${file})`, () => {
      expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).to.contain(words)
    })
})

/** Returns other spellings of a path, as proxies, frameworks and attackers write them. */
const spellings = (path: string): readonly string[] => [
  `${path}/`,
  path.toUpperCase(),
  `/${path}`,
  path.replace('/v1/', '/v1//'),
  path.replace('/v1/', '/v1%2F'),
  path.replace('/v1/', '/%76%31/'),
  path.replace('/v1', ''),
  `${path}%2f`,
  `${path}?`,
  `${path};x=1`,
]
