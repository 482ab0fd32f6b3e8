/** The catalogues of AutoPay. They are named only where it is offered: their names would be in every first visit. */
import { type Catalogue, ofEach } from './catalogues.ts'

export const AUTOPAY_WORDS = ofEach(import.meta.glob<Catalogue>('../../../locales/*/autopay.po'), 'autopay')
