/** The grade of readings, by a table of rules. */
type Readings = Readonly<Record<string, number | null>>
type Rule = Readonly<{ field: string; limit: number; points: number }>
type Table = Readonly<{ rules: readonly Rule[]; bands: readonly Readonly<{ grade: string; minScore: number }>[] }>
type Penalty = Rule & Readonly<{ value: number }>

/** Of each field the first of the rules that cost the most counts. */
export function gradeOf(readings: Readings, { rules, bands }: Table) {
  const penalties: Penalty[] = []
  for (const [field, value] of Object.entries(readings)) {
    if (value === null) continue
    const reached = rules.filter((rule) => rule.field === field && isReached(rule, value))
    const most = Math.max(...reached.map(({ points }) => points))
    const worst = reached.find(({ points }) => points === most)
    if (worst !== undefined) penalties.push({ field, value, limit: worst.limit, points: worst.points })
  }
  const score = Math.max(0, 100 - penalties.reduce((sum, { points }) => sum + points, 0))
  return { score, grade: bands.find(({ minScore }) => minScore <= score)?.grade ?? 'F', penalties }
}

/** Few holders cost; of all other readings it is the many. */
const isReached = ({ field, limit }: Rule, value: number): boolean =>
  field === 'holders' ? value < limit : value >= limit
