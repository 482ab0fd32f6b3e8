/** The catalogues of *My ticket*, which few members open. */
import { type Catalogue, ofEach } from './catalogues.ts'

export const TICKET_WORDS = ofEach(import.meta.glob<Catalogue>('../../../locales/*/ticket.po'), 'ticket')
