/** The tables of calls whose corrections are listed. Columns that name a caller are left out: chats may be private. */
import type { CorrectedTable } from '../../corrections.ts'

type Tables = Readonly<Record<'calls' | 'scores' | 'grades', CorrectedTable['table']>>

export const correctedCalls = ({ calls, scores, grades }: Tables): readonly CorrectedTable[] => [
  { recordType: 'Call', table: calls, hides: ['chats'] },
  { recordType: 'CallScored', table: scores, hides: ['chat', 'post', 'chat_name', 'poster'] },
  { recordType: 'ScannerGrade', table: grades },
]
