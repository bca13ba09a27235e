/*
 * Copyright The Turnpike Authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
pragma solidity 0.8.37;

/// @title The price of the development chain's ether
/// @notice Speaks the part of Chainlink's AggregatorV3Interface that is read of a price
/// feed. Ether is worth one dollar here: a unit of gas costs some hundred times what it
/// does on Base, and a payment of a cent must be worth settling.
contract DevFeed {
    uint8 public constant decimals = 8;
    string public constant description = "ETH / USD";

    /// @notice The answer is always of the block in which it is given.
    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        return (1, 1e8, block.timestamp, block.timestamp, 1);
    }
}
