/** What the integration tests leave out: every end to end on all that the service can stand on. */
import { embeddedLogTablesOverHttp, kafkaLogEmbeddedTables, programsApart } from './grounds.ts'
import { describeReverts } from './reverts.ts'
import { describeSpine } from './spine.ts'

describeSpine('in one process, its tables behind HTTP', embeddedLogTablesOverHttp)
describeSpine('in one process, its log on Kafka', kafkaLogEmbeddedTables)
describeReverts('on Kafka, every program a process', programsApart)
describeReverts('in one process, its log on Kafka', kafkaLogEmbeddedTables)
