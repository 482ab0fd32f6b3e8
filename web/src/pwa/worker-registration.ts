/** The service worker's registration, once it is known. Undefined where the browser has none. */
const registered = Promise.withResolvers<ServiceWorkerRegistration | undefined>()
export const workerRegistration = registered.promise
export const setWorkerRegistration = registered.resolve
