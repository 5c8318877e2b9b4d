import { decodePaymentRequiredHeader, encodePaymentRequiredHeader } from '@x402/core/http'
import type { PaymentRequired } from '@x402/core/types'
import { expect } from 'chai'
import type { Check } from '../../../../infra/check.ts'
import { checkListing } from '../../../../infra/command-line/listing/check-listing.ts'
import type { Get } from '../../../../infra/command-line/listing/probe.ts'
import { rules } from '../../../../infra/command-line/listing/rules.ts'
import { chainBEdgeOfTests } from '../../../api/chain-b/edge.ts'

type Sent = { status: number; headers: Headers; body: string }
type Offer = Record<string, unknown>

const path = '/v1/rh/crews'
const fewRoutes = ['GET /v1/rh/crews', 'GET /v1/rh/pools/{id}/flow', 'GET /v1/rh/bursts/live']

describe('the check of listings', () => {
  const { edge } = chainBEdgeOfTests()
  const wrongOf = (checks: readonly Check[]) => checks.filter(({ state }) => state === 'wrong')

  it('finds nothing wrong with the service', async () => {
    const checks = await checkListing(edge.get)
    expect(wrongOf(checks)).to.deep.equal([])
    expect(checks).to.have.length(rules.length + 1)
    expect(checks.map(({ says }) => says).join()).to.contain(`a URL of each of ${edge.routes.length} paid routes`)
  })

  /** Lists three of the routes. The rules check each route alone, and compile a schema for each. */
  const listingFew: Get = async (asked) => {
    const answer = await edge.get(asked)
    if (asked !== '/') return answer
    const { endpoints, ...others } = (await answer.json()) as Readonly<{ endpoints: readonly { route: string }[] }>
    return Response.json({ ...others, endpoints: endpoints.filter(({ route }) => fewRoutes.includes(route)) })
  }

  /** Makes the service send something else for one path. */
  const planting =
    (plant: (sent: Sent) => void, at = path): Get =>
    async (asked) => {
      const answer = await listingFew(asked)
      if (asked !== at) return answer
      const sent = { status: answer.status, headers: new Headers(answer.headers), body: await answer.text() }
      plant(sent)
      return new Response(sent.body, sent)
    }

  /** Changes the offer in the header and in the body. */
  const offering = (change: (offer: Offer) => void) =>
    planting((sent) => {
      const offer = decodePaymentRequiredHeader(String(sent.headers.get('payment-required'))) as unknown as Offer
      change(offer)
      sent.headers.set('payment-required', encodePaymentRequiredHeader(offer as unknown as PaymentRequired))
      sent.body = JSON.stringify({ ...(JSON.parse(sent.body) as object), ...offer })
      for (const name of ['extensions']) if (!(name in offer)) sent.body = JSON.stringify(offer)
    })
  const inOffer = (change: (offer: Offer) => void) =>
    offering(({ accepts }) => change((accepts as readonly Offer[])[0] as Offer))
  const inResource = (change: (resource: Offer) => void) => offering(({ resource }) => change(resource as Offer))
  type Bazaar = { info: { input: Offer & { queryParams: Offer }; output: Offer }; schema: Offer }
  const inBazaar = (change: (bazaar: Bazaar) => void) =>
    offering(({ extensions }) => change((extensions as { bazaar: Bazaar }).bazaar))

  const planted: readonly (readonly [rule: string, get: Get])[] = [
    ['answers 402', planting((sent) => Object.assign(sent, { status: 400 }))],
    ['header PAYMENT-REQUIRED', planting(({ headers }) => headers.delete('payment-required'))],
    ['header PAYMENT-REQUIRED', planting(({ headers }) => headers.set('payment-required', 'e30'))],
    ['length of the header', offering((offer) => Object.assign(offer, { error: 'x'.repeat(7_000) }))],
    ['JSON body', planting(({ headers }) => headers.set('content-type', 'text/html'))],
    ['JSON body', planting((sent) => Object.assign(sent, { body: 'Payment required' }))],
    ['header PAYMENT-REQUIRED', offering((offer) => Object.assign(offer, { accepts: [] }))],
    ['body equals header', planting((sent) => Object.assign(sent, { body: sent.body.replace('This call', 'It') }))],
    ['not cached', planting(({ headers }) => headers.set('cache-control', 'public, max-age=60'))],
    ['pattern answers 402', planting((sent) => Object.assign(sent, { status: 404 }), '/v1/rh/pools/:id/flow')],
    ['resource.url', inResource((resource) => Object.assign(resource, { url: 'https://data.example/other' }))],
    ['resource.description', inResource((resource) => Object.assign(resource, { description: 'é'.repeat(501) }))],
    ['resource.mimeType', inResource((resource) => Object.assign(resource, { mimeType: 'text/html' }))],
    ['accepts.scheme', inOffer((offer) => Object.assign(offer, { scheme: 'upto' }))],
    ['accepts in version 2', inOffer((offer) => Object.assign(offer, { description: 'crews' }))],
    ['accepts.network', inOffer((offer) => Object.assign(offer, { network: 'eip155:1' }))],
    ['accepts.asset', inOffer((offer) => Object.assign(offer, { asset: `0x${'12'.repeat(20)}` }))],
    ['accepts.payTo', inOffer((offer) => Object.assign(offer, { payTo: '0x12' }))],
    ['accepts.amount', inOffer((offer) => Object.assign(offer, { amount: '20001' }))],
    ['accepts.maxTimeoutSeconds', inOffer((offer) => Object.assign(offer, { maxTimeoutSeconds: 5 }))],
    ['accepts.extra', inOffer((offer) => Object.assign(offer, { extra: { name: 'USD Coin' } }))],
    ['extension bazaar', offering((offer) => delete offer.extensions)],
    ['bazaar.info and bazaar.schema', inBazaar((bazaar) => Object.assign(bazaar.info, { input: undefined }))],
    ['bazaar.info fits its schema', inBazaar(({ info }) => Object.assign(info.output, { type: 5 }))],
    [
      'bazaar.info.input',
      inBazaar(({ info, schema }) => Object.assign(info.input, { method: 'HEAD' }) && delete schema.properties),
    ],
    ['values of the input', inBazaar(({ info }) => Object.assign(info.input.queryParams, { other: '' }))],
    ['path of the input', inBazaar(({ info }) => Object.assign(info.input, { pathParams: { id: '0x12' } }))],
    ['bazaar.info.output', inBazaar(({ info }) => delete info.output.example)],
    ['resource.serviceName', inResource((resource) => delete resource.serviceName)],
    ['header PAYMENT-REQUIRED', inResource((resource) => Object.assign(resource, { serviceName: 'Dàta' }))],
  ]

  for (const [rule, get] of planted)
    it(`finds a fault that was planted for the rule "${rule}"`, async () => {
      const found = wrongOf(await checkListing(get))
      expect(found.map(({ name }) => name)).to.include(rule)
      const { says, toDo } = found.find(({ name }) => name === rule) as Check
      expect(says).to.match(/^1 of 3 routes\. GET \/v1\/rh\/(crews|pools\/\{id\}\/flow): /)
      expect(toDo).to.be.a('string')
    })

  it('has a planted fault for every rule that one answer can break', () => {
    const broken = new Set(planted.map(([rule]) => rule))
    expect(rules.map(({ name }) => name).filter((name) => !broken.has(name))).to.deep.equal(['https'])
  })

  it('finds that the service is not on https', async () => {
    const plain = inResource((resource) => Object.assign(resource, { url: 'http://data.example/v1/rh/crews' }))
    expect(wrongOf(await checkListing(plain)).map(({ name }) => name)).to.deep.equal(['resource.url', 'https'])
  })

  it('names the routes whose URL the service does not know yet', async () => {
    edge.state.pools = []
    edge.nowMs += 60_000
    const [catalogue] = wrongOf(await checkListing(edge.get))
    expect(catalogue?.says).to.equal('no URL of GET /v1/rh/pools/{id}/flow, because the service tracks nothing for it')
  })

  it('says that there is no service', async () => {
    const [check, ...others] = await checkListing(async () => new Response('', { status: 503 }))
    expect(check).to.include({ name: 'catalogue', state: 'wrong', says: '/ answers 503' })
    expect(others).to.deep.equal([])
  })
})
