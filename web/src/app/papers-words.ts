/** The catalogues of receipts and of a member's year, which few open. */
import { type Catalogue, ofEach } from './catalogues.ts'

export const PAPERS_WORDS = ofEach(import.meta.glob<Catalogue>('../../../locales/*/papers.po'), 'papers')
