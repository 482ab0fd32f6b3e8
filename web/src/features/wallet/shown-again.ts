import { refreshMoney } from '../queries.ts'

/**
 * A checkout that has left this page may never settle its promise. When the browser's Back shows the page again, the button is free again.
 */
export const shownAgain = (): Promise<undefined> =>
  new Promise((resolve) => {
    const back = (): void => {
      refreshMoney()
      resolve(undefined)
    }
    window.addEventListener('pageshow', back, { once: true })
  })
