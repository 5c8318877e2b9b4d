/** Parameters that several routes of chain B share. */
import { hexOfBase58 } from '../../infra/base58.ts'
import type { NumberParam, PathParam } from '../sale/params.ts'
import { exampleMint, exampleWallet } from './example-rows.ts'

export const minutesParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 240,
  default: 60,
  description: 'how far to look back',
}

/** Returns a parameter that is a number of hours from 1 to `max`, 24 by default. */
export const hoursParam = (max: number): NumberParam => ({
  in: 'query',
  type: 'number',
  min: 1,
  max,
  default: 24,
  description: 'how far to look back',
})

export const walletParam: PathParam = {
  in: 'path',
  type: 'string',
  letterCase: 'asGiven',
  pattern: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  isValid: (text) => hexOfBase58(text, 32) !== null,
  example: '32 bytes in base58',
  sample: exampleWallet,
  description: 'a wallet address',
}

export const mintParam: PathParam = { ...walletParam, sample: exampleMint, description: 'the mint of a token' }
