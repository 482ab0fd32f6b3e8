/**
 * Playwright's expect with a patience of our own. A wait ends as soon as it is fulfilled, so patience
 * costs time only where something is wrong, and a busy machine is not taken for a broken product.
 */
import { expect as impatient } from '@playwright/test'

export const PATIENCE_MS = 30_000

export const expect = impatient.configure({ timeout: PATIENCE_MS })
