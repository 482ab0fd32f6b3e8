/** The pace of AutoPay's calls to the gateway, over all processes: 50 a minute of each kind, and up to 8 at once. The gateway takes 60. */
import type { Db } from '../db/sql.ts'
import { hasPlaceOf, type Pace, restPace, takePlaceOf } from './gateway-pace.ts'

type Paced = 'create' | 'raise' | 'read' | 'cancel'
const paceOf = (call: Paced): Pace => ({ call, everySeconds: 1.2, early: 7 })

/** Takes a call's place. False: the gateway is not called now. */
export const takePlace = (db: Db, call: Paced): Promise<boolean> => takePlaceOf(db, paceOf(call))

/** Whether a page may ask: the last four early places are the sweep's, so that no number of pages delays a debit that is due. */
export const mayPageRead = (db: Db): Promise<boolean> => hasPlaceOf(db, { ...paceOf('read'), early: 3 })

/** The gateway asked for a pause: until then no call of this kind is made. */
export const rest = (db: Db, call: Paced, forMs: number): Promise<void> => restPace(db, paceOf(call), forMs)
