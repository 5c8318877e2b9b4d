/** Builds forged payments. An attacker without money can make them in large numbers. */
import { randomBytes } from 'node:crypto'
import type { PaymentPayload } from '@x402/core/types'
import type { Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { toHeader } from './paid-service.ts'

type Signed = Readonly<{ signature: Hex; authorization: Readonly<Record<string, string>> }>

export const forgeryKinds = ['constant', 'random', 'anotherKey', 'malformed', 'tooLarge'] as const

export type ForgeryKind = (typeof forgeryKinds)[number]

const hex = (length: number): Hex => `0x${randomBytes(length).toString('hex')}`
const stranger = privateKeyToAccount(generatePrivateKey())

/** Returns a payment with a valid signature of a new key that has no money. */
export async function forgePenniless(payload: PaymentPayload): Promise<string> {
  const signer = privateKeyToAccount(generatePrivateKey())
  const signed = payload.payload as unknown as Signed
  const authorization = { ...signed.authorization, from: signer.address, nonce: hex(32) }
  return toHeader({ ...payload, payload: { authorization, signature: await signBy(signer, authorization) } }).header
}

/** Returns a payment in the name of the honest payer. Its signature is random bytes. */
export function forgeNamed(payload: PaymentPayload): string {
  const { authorization } = payload.payload as unknown as Signed
  return toHeader({
    ...payload,
    payload: { signature: possible(), authorization: { ...authorization, nonce: hex(32) } },
  }).header
}

/** Returns a forged payment with its own nonce and payer. `payload` is an honest payment for the same offer. */
export async function forge(payload: PaymentPayload, kind: ForgeryKind): Promise<string> {
  const signed = payload.payload as unknown as Signed
  const authorization = { ...signed.authorization, from: hex(20), nonce: hex(32) }
  const send = (change: object) => toHeader({ ...payload, payload: { authorization, ...change } }).header
  switch (kind) {
    case 'constant':
      return send({ signature: `0x${'11'.repeat(65)}` })
    case 'random':
      return send({ signature: possible() })
    case 'anotherKey':
      return send({ signature: await signBy(stranger, authorization) })
    case 'malformed':
      return Buffer.from(`{"x402Version":2,"payload":${JSON.stringify(hex(200))}`).toString('base64')
    case 'tooLarge':
      return send({ signature: possible(), authorization: { ...authorization, value: '9'.repeat(78) } })
    default:
      return kind satisfies never
  }
}

/** Returns random bytes that look like a signature, because s is low and v is 27. */
const possible = (): Hex => `0x${randomBytes(32).toString('hex')}1${randomBytes(32).toString('hex').slice(1)}1b`

const fields = [
  ['from', 'address'],
  ['to', 'address'],
  ['value', 'uint256'],
  ['validAfter', 'uint256'],
  ['validBefore', 'uint256'],
  ['nonce', 'bytes32'],
] as const

type Addresses = Readonly<{ from: Hex; to: Hex; nonce: Hex }>

const signBy = (
  account: PrivateKeyAccount,
  { value, validAfter, validBefore, ...rest }: Readonly<Record<string, string>>,
): Promise<Hex> =>
  account.signTypedData({
    domain: {
      name: 'USD Coin',
      version: '2',
      chainId: 8453,
      verifyingContract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    },
    types: { TransferWithAuthorization: fields.map(([name, type]) => ({ name, type })) },
    primaryType: 'TransferWithAuthorization',
    message: {
      ...(rest as Addresses),
      value: BigInt(value ?? 0),
      validAfter: BigInt(validAfter ?? 0),
      validBefore: BigInt(validBefore ?? 0),
    },
  })
