/** Builds the 402 response: the price of a resource on every network that is served now. */
import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http'
import type { x402ResourceServer } from '@x402/core/server'
import type { PaymentPayload, PaymentRequired, PaymentRequirements, ResourceInfo } from '@x402/core/types'
import { OperationError } from '../../../infra/errors.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import type { Served } from '../facilitator/facilitator-link.ts'
import type { PaidResource, PaymentRefusalCode, PaymentRequiredOutcome } from '../payment.ts'
import { offerIdentifier } from '../payment-identifier.ts'
import type { PaymentNetwork } from '../payment-network.ts'
import { formatUsd } from './format-usd.ts'
import { createFormerOffers } from './former-offers.ts'

/** How long a client has to pay, in seconds. Payments should expire soon, but a wallet needs time to ask its user. */
const maxTimeoutSeconds = 120

export type Offers = Readonly<{
  /** Returns the requirements that the client accepted, from the present offer or a recent one. */
  match: (served: Served, priceUsdMicros: number, payload: PaymentPayload) => Promise<PaymentRequirements | undefined>
  refuse: (served: Served, resource: PaidResource, refusal: PaymentRefusal) => Promise<PaymentRequiredOutcome>
  /**
   * Returns the payment as it is forwarded to facilitators. It always contains our own description of the
   * resource, whether the client sent ours, another one or none. Catalogues copy the description from settled
   * payments, and the signature does not cover it.
   */
  toForward: (resource: PaidResource, payload: PaymentPayload) => PaymentPayload
}>

export type PaymentRefusal = Readonly<{
  code: PaymentRefusalCode
  /** The reason as a code of the facilitator or of this service. The message to the client contains it. */
  reason?: string
  /** Whether the payment was sent to the facilitator and its transfer can still happen. */
  isUnproven?: boolean
  /**
   * Whether the payment may have been settled earlier and its record may have been forgotten. See
   * `mayBeForgotten`.
   */
  isForgotten?: boolean
  /** Whether the payer used the identifier of the payment for another purchase. */
  isNameTaken?: boolean
  /** The network and the payer for the receipt, if a settlement was refused. */
  receipt?: Readonly<{ network: string; payer: string }>
}>

/** The service's name in the 402 response and in catalogues. */
export type ServiceName = Readonly<{
  /** The name, of at most 32 ASCII characters. */
  name: string
  /** At most five tags of 32 characters each. */
  tags: readonly string[]
}>

type OffersOptions = Readonly<{ publicBaseUrl: string; nowMs: () => EpochMs; service?: ServiceName | undefined }>

export function createOffers({ publicBaseUrl, nowMs, service }: OffersOptions): Offers {
  const base = publicBaseUrl.replace(/\/+$/, '')
  const former = createFormerOffers<Prepared>(nowMs)
  const resourceInfoOf = ({ resourcePath, description }: PaidResource): ResourceInfo => ({
    // The URL is concatenated, because resolving a path with two leading slashes would name another host.
    url: `${base}${resourcePath}`,
    description,
    mimeType: 'application/json',
    ...(service ? { serviceName: service.name, tags: [...service.tags] } : {}),
  })
  const prepared = new WeakMap<x402ResourceServer, Map<number, Promise<Prepared>>>()

  const prepare = (served: Served, priceUsdMicros: number) => {
    const byPrice = prepared.get(served.server) ?? new Map<number, Promise<Prepared>>()
    prepared.set(served.server, byPrice)
    const known = byPrice.get(priceUsdMicros)
    if (known) return known
    const built = buildRequirements(served, priceUsdMicros).then(toPrepared)
    byPrice.set(priceUsdMicros, built)
    return built
  }

  return {
    match: async (served, priceUsdMicros, payload) => {
      const offer = await prepare(served, priceUsdMicros)
      // Compares the texts first. Most clients return an offer unchanged, and comparing the fields takes five times as
      // long.
      const text = JSON.stringify(payload.accepted)
      const matchIn = ({ accepts, byText }: Prepared) =>
        byText.get(text) ?? served.server.findMatchingRequirements(accepts, payload)
      const found = matchIn(offer)
      if (found || !served.networks.some(({ network }) => network === payload.accepted.network)) return found
      for (const earlier of former.of(priceUsdMicros)) {
        const match = matchIn(earlier)
        if (match) return match
      }
      return undefined
    },
    refuse: async (served, resource, refusal) => {
      const offer = await prepare(served, resource.priceUsdMicros)
      former.note(resource.priceUsdMicros, offer)
      const body = await served.server.createPaymentRequiredResponse(
        offer.accepts,
        resourceInfoOf(resource),
        messageOf(refusal, resource.priceUsdMicros),
        { ...discoveryOf(resource), ...offerIdentifier() },
      )
      return toOutcome(body, refusal)
    },
    toForward: (resource, payload) => {
      const { [bazaar]: theirs, ...extensions } = payload.extensions ?? {}
      return {
        ...payload,
        resource: resourceInfoOf(resource),
        extensions: { ...extensions, ...discoveryOf(resource) },
      }
    },
  }
}

const bazaar = 'bazaar'

const discoveryOf = ({ discovery }: PaidResource): Readonly<Record<string, unknown>> =>
  discovery === undefined ? {} : { [bazaar]: discovery }

type Prepared = Readonly<{
  accepts: PaymentRequirements[]
  byText: ReadonlyMap<string, PaymentRequirements>
  text: string
}>

const toPrepared = (accepts: PaymentRequirements[]): Prepared => ({
  accepts,
  text: JSON.stringify(accepts),
  byText: new Map(accepts.map((requirements) => [JSON.stringify(requirements), requirements])),
})

async function buildRequirements({ server, networks }: Served, priceUsdMicros: number): Promise<PaymentRequirements[]> {
  const built = await server.buildPaymentRequirementsFromOptions(
    networks.map(({ network, payTo, priceOf }: PaymentNetwork) => ({
      scheme: 'exact',
      network,
      payTo,
      price: priceOf(priceUsdMicros),
      maxTimeoutSeconds,
    })),
    undefined,
  )
  if (built.length !== networks.length)
    throw new OperationError(
      'facilitator_failed',
      'the x402 library returned no payment requirements for one of the networks. Check that the facilitators support each network',
      {
        context: { networks: networks.map(({ network }) => network) },
      },
    )
  return built
}

function toOutcome(body: PaymentRequired, { code, reason, receipt }: PaymentRefusal): PaymentRequiredOutcome {
  return {
    kind: 'paymentRequired',
    code,
    body: { ...body, error: body.error ?? code },
    header: encodePaymentRequiredHeader(body),
    receiptHeader: receipt
      ? encodePaymentResponseHeader({
          success: false,
          errorReason: reason ?? 'settle_failed',
          transaction: '',
          network: receipt.network as PaymentNetwork['network'],
          payer: receipt.payer,
        })
      : null,
  }
}

function messageOf(refusal: PaymentRefusal, priceUsdMicros: number): string {
  const { code } = refusal
  switch (code) {
    case 'payment_required':
      return `This call costs ${formatUsd(priceUsdMicros)} USD. Repeat it with a signed payment in the PAYMENT-SIGNATURE header`
    case 'payment_invalid':
      return invalidMessageOf(refusal)
    case 'payment_already_used':
      return refusal.isNameTaken
        ? 'The same payer used this payment-identifier for another request. This request was not charged. Choose a new payment-identifier for each purchase'
        : 'This payment was used before: for another request, with another signature, or outside this service. Sign a new payment'
    default:
      return code satisfies never
  }
}

function invalidMessageOf({ reason = 'invalid', isUnproven, isForgotten }: PaymentRefusal): string {
  if (isUnproven)
    return `The facilitator refused the payment: ${reason}. No transfer of this payment is known. First repeat the request with the same PAYMENT-SIGNATURE. If the transfer arrives in the meantime, you get the answer. Otherwise sign a new payment`
  if (isForgotten)
    return `The payment was refused: ${reason}. This request was not charged. An earlier request with the same payment may have been charged, and its answer is no longer stored. Look for the transfer on the chain before you sign a new payment`
  return `The payment was refused: ${reason}. Nothing was charged. Fix this cause, then sign a new payment`
}
