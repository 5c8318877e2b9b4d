/**
 * Freezes the current schemas with `npm run release-schemas`. Run it when a change of a schema is final, and
 * commit the new files with the change. The script refuses a schema that cannot read the records of an
 * existing log.
 */
import { currentSchemas, writeReleases } from './released-schemas.ts'

for (const path of writeReleases(currentSchemas)) console.log(path)
