/* exp and its kin: x = k ln 2 + r with |r| <= ln(2) / 2, and the series at r.
 */
#include "base/real.h"
