/** The rules about the resource and the price of a 402. */
import type { PaymentRequirements } from '@x402/core/types'
import { networkOf } from '../wallet.ts'
import type { RequiredRule } from './rules.ts'

/** Makes a rule that every offer of a 402 must meet. */
const ofEach = (
  rule: Omit<RequiredRule, 'faultOf'>,
  faultOf: (offer: PaymentRequirements, price: number) => string | null,
): RequiredRule => ({
  ...rule,
  faultOf: ({ accepts }, { price }) =>
    accepts.map((offer) => faultOf(offer, price)).find((fault) => fault !== null) ?? null,
})

/** The networks on which catalogues find a payment, with their USDC and the form of an address. */
const networks: Readonly<Record<string, Readonly<{ asset: string; address: RegExp; extra: readonly string[] }>>> = {
  [networkOf.evm]: {
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    address: /^0x[0-9a-fA-F]{40}$/,
    extra: ['name', 'version'],
  },
  [networkOf.solana]: {
    asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    address: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
    extra: ['feePayer'],
  },
}

const descriptionLengthMax = 500
/** A facilitator wants some seconds to settle, and a payment should expire within an hour. */
const timeoutSec = { min: 10, max: 3_600 }
const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])
/** Fields of version 1, which catalogues refuse in an offer of version 2. */
const formerFields = ['resource', 'description', 'mimeType', 'maxAmountRequired', 'outputSchema']

export const paymentRules: readonly RequiredRule[] = [
  {
    name: 'resource.url',
    toDo: 'set PUBLIC_BASE_URL to the address under which buyers reach the service',
    faultOf: ({ resource }, { url }) => (resource.url === url ? null : `it is ${resource.url}`),
  },
  {
    name: 'https',
    toDo: 'set PUBLIC_BASE_URL to an https URL. Catalogues list no other',
    faultOf: ({ resource }) => {
      const { protocol, hostname } = new URL(resource.url)
      return protocol === 'https:' || loopback.has(hostname) ? null : `${resource.url} is not https`
    },
  },
  {
    name: 'resource.description',
    toDo: `describe the route in 1 to ${descriptionLengthMax} characters. Facilitators refuse payments for a longer description`,
    faultOf: ({ resource: { description = '' } }) => {
      const { length } = [...description]
      return length >= 1 && length <= descriptionLengthMax ? null : `it has ${length} characters`
    },
  },
  {
    name: 'resource.mimeType',
    toDo: 'name the type of the answer: application/json',
    faultOf: ({ resource: { mimeType } }) =>
      mimeType === 'application/json' ? null : `it is ${mimeType ?? 'missing'}`,
  },
  ofEach({ name: 'accepts.scheme', toDo: 'offer the scheme exact' }, ({ scheme }) =>
    scheme === 'exact' ? null : `it is ${scheme}`,
  ),
  ofEach({ name: 'accepts in version 2', toDo: 'remove the fields of version 1 from each offer' }, (offer) => {
    const former = formerFields.filter((name) => name in offer)
    return former.length === 0 ? null : `it has ${former.join(', ')}`
  }),
  ofEach({ name: 'accepts.network', toDo: 'name Base or Solana by the CAIP-2 id' }, ({ network }) =>
    network in networks ? null : `it is ${network}`,
  ),
  ofEach({ name: 'accepts.asset', toDo: 'name the USDC contract of the network' }, ({ network, asset }) =>
    asset === (networks[network]?.asset ?? asset) ? null : `it is ${asset}`,
  ),
  ofEach(
    { name: 'accepts.payTo', toDo: 'set X402_PAY_TO_EVM or X402_PAY_TO_SVM to an address of the network' },
    ({ network, payTo }) => (networks[network]?.address.test(payTo) === false ? `it is ${payTo}` : null),
  ),
  ofEach(
    { name: 'accepts.amount', toDo: 'offer the price of the catalogue in millionths of a dollar' },
    ({ amount }, price) =>
      /^[1-9]\d*$/.test(amount) && Number(amount) === Math.round(price * 1_000_000)
        ? null
        : `it is ${amount}, and the price is ${price} USD`,
  ),
  ofEach(
    { name: 'accepts.maxTimeoutSeconds', toDo: `set it to ${timeoutSec.min} to ${timeoutSec.max}` },
    ({ maxTimeoutSeconds: seconds }) =>
      seconds >= timeoutSec.min && seconds <= timeoutSec.max ? null : `it is ${seconds}`,
  ),
  ofEach(
    { name: 'accepts.extra', toDo: 'add what the client signs: name and version of the contract, or the fee payer' },
    ({ network, extra }) => {
      const missing = networks[network]?.extra.filter((name) => typeof extra[name] !== 'string') ?? []
      return missing.length === 0 ? null : `it lacks ${missing.join(', ')}`
    },
  ),
]
