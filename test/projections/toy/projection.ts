import { bigInteger, flag, int64, nullable, text } from '../../../projections/columns.ts'
import { projectionOf } from '../../../projections/projection.ts'
import { versionTable } from '../../../projections/table.ts'
import type { RowKey } from '../../../schemas/stage.ts'
import { dayMs } from '../../../schemas/units.ts'
import { toyStage, type Visit } from './visits.ts'

export const visits = versionTable<Visit>()({
  name: 'toy_visits',
  naturalKey: ['place', 'at_ms'],
  order: ['place', 'at_ms'],
  partition: { column: 'at_ms', everyMs: dayMs },
  columns: {
    place: text((_, { logKey }) => logKey),
    at_ms: int64(({ atMs }) => atMs),
    guests: nullable(bigInteger)(({ guests }) => guests),
    is_open: flag(({ isOpen }) => isOpen),
    supersedes_at_ms: nullable(int64)((_, { supersedesAtMs }) => supersedesAtMs),
  },
  withdrawn: ({ atMs }: RowKey, place) => ({ place, at_ms: atMs }),
})

export const toyProjection = projectionOf({
  stage: toyStage,
  migrations: [new URL('./migrations/', import.meta.url)],
  tables: { Visit: visits, Closed: null },
})
