import { decodePaymentRequiredHeader } from '@x402/core/http'
import { x402ResourceServer } from '@x402/core/server'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import {
  extractDiscoveryInfo,
  sanitizeResourceServiceMetadata,
  validateAndExtract,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions/bazaar'
import { expect } from 'chai'
import { createEvmNetwork } from '../../../api/payments/evm/network.ts'
import { svmNetwork } from '../../../api/payments/svm/names.ts'
import { createSvmNetwork } from '../../../api/payments/svm/network.ts'
import type { Route } from '../../../api/route.ts'
import { routeDiscovery, serviceName, toolDiscovery } from '../../../api/sale/discovery.ts'
import { paidRoutes } from '../../support/payments/paid-routes.ts'
import { requestFor, sellerAddress, sign, toHeader } from '../../support/payments/paid-service.ts'
import { network as evmNetwork, purchaseWorld, settled, valid } from '../payments/purchase-world.ts'

const feePayer = 'EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd'

describe('what catalogues are told', () => {
  const world = purchaseWorld()
  let told: PaymentPayload[]

  beforeEach(async () => {
    told = []
    await world.gate.close()
    const rpcUrl = 'http://127.0.0.1:1'
    await world.open({
      service: serviceName,
      networks: [
        { ...createEvmNetwork({ network: evmNetwork, payTo: sellerAddress, rpcUrl }), signerOf: async () => 'payer' },
        await createSvmNetwork({ payTo: feePayer, rpcUrl, nowMs: world.clock.nowMs }),
      ],
      facilitators: [
        {
          verify: async (...payment) => {
            told.push(payment[0])
            return valid(...payment)
          },
          settle: async (...payment) => {
            told.push(payment[0])
            return settled(...payment)
          },
          getSupported: async () => ({
            kinds: [
              { x402Version: 2, scheme: 'exact', network: evmNetwork },
              { x402Version: 2, scheme: 'exact', network: svmNetwork, extra: { feePayer } },
            ],
            ...{ extensions: ['bazaar'], signers: {} },
          }),
        },
      ],
    })
  })

  const resourceOf = async (
    { pattern, description, priceUsdMicros }: Route,
    discovery: Readonly<Record<string, unknown>>,
  ) => ({
    ...{ routeId: pattern, requestId: pattern, priceUsdMicros, description, discovery },
    resourcePath: pattern.replace(/:\w+/g, `0x${'ab'.repeat(32)}`),
  })
  const offerOf = async (resource: Awaited<ReturnType<typeof resourceOf>>) => {
    const offer = await world.gate.requirePayment(resource)
    if (offer.kind !== 'paymentRequired') throw new TypeError(offer.kind)
    return { header: offer.header, required: decodePaymentRequiredHeader(offer.header) }
  }
  /** Returns the service description that a facilitator's catalogue extracts from a settled payment. */
  const catalogued = (payload: PaymentPayload) => {
    const found = extractDiscoveryInfo(payload, payload.accepted as never)
    if (found === null) throw new TypeError('nothing is catalogued')
    return found
  }
  const acceptedOf = ({ accepts: [first] }: PaymentRequired) => {
    if (!first) throw new TypeError('nothing is offered')
    return first
  }

  for (const route of paidRoutes)
    it(`of ${route.pattern} is what facilitators take, and small in every header`, async () => {
      const discovery = await routeDiscovery(route, {})
      expect(validateDiscoveryExtensionSpec(discovery)).to.deep.equal({ valid: true })
      expect(validateAndExtract(discovery as never).valid).to.equal(true)
      const { header, required } = await offerOf(await resourceOf(route, discovery))
      // Facilitators refuse to verify a payment whose resource has a longer description.
      expect(required.resource.description).to.have.lengthOf.within(1, 500)
      expect(required.accepts.map(({ network }) => network)).to.deep.equal([evmNetwork, svmNetwork])
      const { header: signature } = toHeader(await sign(required))
      console.log(`      402 ${header.length} bytes, its payment ${signature.length} bytes`)
      expect(header.length).to.be.below(8_192)
      expect(signature.length).to.be.below(8_192)
    })

  for (const route of paidRoutes)
    it(`of the tool ${route.tool} is what facilitators take`, async () => {
      const discovery = await toolDiscovery(route, {})
      expect(validateDiscoveryExtensionSpec(discovery)).to.deep.equal({ valid: true })
      expect(validateAndExtract(discovery as never).valid).to.equal(true)
      const { required } = await offerOf({ ...(await resourceOf(route, discovery)), resourcePath: '/mcp' })
      const found = catalogued({ ...(await sign(required)) })
      expect(found).to.include({ toolName: route.tool, resourceUrl: 'https://data.example/mcp' })
      expect(found.discoveryInfo.input).to.have.property('transport', 'streamable-http')
    })

  const flow = paidRoutes.find(({ pattern }) => pattern.endsWith('/flow')) as Route
  const live = paidRoutes.find(({ pattern }) => pattern.endsWith('/bursts/live')) as Route

  it('names a route by its pattern, with its parameters and one row of its answer', async () => {
    const { required } = await offerOf(await resourceOf(flow, await routeDiscovery(flow, {})))
    const found = catalogued(await sign(required))
    expect(found).to.include({
      ...{ resourceUrl: `https://data.example${flow.pattern}`, routeTemplate: flow.pattern, method: 'GET' },
      ...{ serviceName: serviceName.name, description: flow.description },
    })
    expect(found.tags).to.deep.equal(serviceName.tags)
    expect(found.discoveryInfo.input)
      .to.have.nested.property('pathParams.id')
      .that.matches(/^0x[0-9a-f]{64}$/)
    const { discoveryInfo } = catalogued(
      await sign((await offerOf(await resourceOf(live, await routeDiscovery(live, {})))).required),
    )
    expect(discoveryInfo.input).to.have.property('queryParams').that.includes({ minutes: 60, tier: 'main' })
    expect(discoveryInfo.output?.example).to.have.property('bursts').with.length(1)
  })

  it('of the service fits what catalogues show', () => {
    const { name, tags } = serviceName
    expect(sanitizeResourceServiceMetadata({ url: '', serviceName: name, tags: [...tags] })).to.deep.equal({
      ...{ serviceName: name, tags },
    })
  })

  it('comes back from the official client unchanged, as the official server wants it', async () => {
    const { required } = await offerOf(await resourceOf(live, await routeDiscovery(live, {})))
    const payload = await sign(required)
    expect(new x402ResourceServer().validateExtensions(required, payload)).to.deep.equal({ valid: true })
    expect(payload.extensions).to.deep.equal(required.extensions)
  })

  it('reaches the facilitator in our words, whatever the client says of us', async () => {
    const resource = await resourceOf(live, await routeDiscovery(live, {}))
    const { required } = await offerOf(resource)
    const payload = await sign(required)
    const lie = {
      ...payload,
      resource: { url: 'https://data.example/another', description: 'a lie', serviceName: 'Another' },
      extensions: {
        ...payload.extensions,
        bazaar: { info: { input: { type: 'http', method: 'POST' } }, schema: {} },
        own: 1,
      },
    }
    expect((await world.gate.run(requestFor(toHeader(lie), resource))).kind).to.equal('paid')
    expect(told).to.have.length(2)
    for (const forwarded of told) {
      expect(forwarded.resource).to.deep.equal(required.resource)
      expect(forwarded.extensions).to.deep.equal({ ...payload.extensions, own: 1 })
      expect(forwarded.payload).to.deep.equal(payload.payload)
    }
  })

  it('is nothing if the resource has no description for catalogues, whatever the client says', async () => {
    const { discovery, ...resource } = await resourceOf(live, await routeDiscovery(live, {}))
    const offer = await world.gate.requirePayment(resource)
    if (offer.kind !== 'paymentRequired') throw new TypeError(offer.kind)
    const payload = await sign(decodePaymentRequiredHeader(offer.header))
    const lie = { ...payload, extensions: { bazaar: discovery, own: 1 } }
    expect((await world.gate.run(requestFor(toHeader(lie), resource))).kind).to.equal('paid')
    expect(told.map(({ extensions }) => extensions)).to.deep.equal([{ own: 1 }, { own: 1 }])
  })

  it('reaches the facilitator too if the client sends nothing back', async () => {
    const resource = await resourceOf(live, await routeDiscovery(live, {}))
    const { required } = await offerOf(resource)
    const { extensions, ...payload } = await sign(required)
    expect((await world.gate.run(requestFor(toHeader(payload), resource))).kind).to.equal('paid')
    expect(told).to.have.length(2)
    for (const forwarded of told) {
      expect(forwarded.extensions).to.deep.equal({ bazaar: required.extensions?.bazaar })
      expect(catalogued(forwarded)).to.include({ resourceUrl: `https://data.example${live.pattern}`, method: 'GET' })
    }
    expect(acceptedOf(required).network).to.equal(evmNetwork)
  })
})
