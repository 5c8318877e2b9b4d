import type { Database } from '../../../infra/clickhouse/database.ts'
import type { StageCut } from '../../cuts.ts'
import type { TokenDeskRow } from './token-desk-rows.ts'

type TokenDesk = (database: Database, cut: StageCut, token: string) => Promise<TokenDeskRow>

const nothing: TokenDesk = async () => ({ lastTrade: null, shadows: [] })

export const selectChainADesk = nothing
export const selectChainBDesk = nothing
