/**
 * Playwright's expect with a timeout of 30 s.
 * - A wait ends as soon as it is fulfilled, so the timeout costs time only in a failure.
 * - A busy machine does not fail a test.
 */
import { expect as impatient } from '@playwright/test'

export const PATIENCE_MS = 30_000

export const expect = impatient.configure({ timeout: PATIENCE_MS })
